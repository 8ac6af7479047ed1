"""What a runtime variant reads: one room each, a pure function from a bundle, and what they share."""
