"""Callers by JSON Web Tokens that an OpenID Connect issuer signs."""
