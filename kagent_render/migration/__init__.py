"""From `kagent.dev/v1alpha2` to `v1alpha3`: what has to change in a text, and nothing else of it."""
