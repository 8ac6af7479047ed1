"""The built-in echo agent: what a runtime serves, without a model, for laptops, demos and tests."""
