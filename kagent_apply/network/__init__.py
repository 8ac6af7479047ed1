"""What an address of a network means, to whichever room it is given."""
