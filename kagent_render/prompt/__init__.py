"""Go text/template, and prompts composed with it out of ConfigMaps."""
