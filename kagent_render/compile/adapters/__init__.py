"""One module per runtime variant: a pure function from a bundle to what that runtime reads."""
