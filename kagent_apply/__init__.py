"""kagent-apply: serves instances of committed agents; so far the parts that touch nothing but values."""
