"""Messages of our own services, by package."""
