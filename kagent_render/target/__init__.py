"""Substrate generations: manifest shape, limits and abilities of each."""
