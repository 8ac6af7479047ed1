"""What the service does not start with."""

from __future__ import annotations


class AccessError(Exception):
    """Something that the operator configured cannot be used; the text has a line for each fault."""
