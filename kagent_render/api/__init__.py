"""The input kinds: one module per apiVersion, and the hub values that every other room uses."""
