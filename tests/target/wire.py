"""Protocol buffers' wire format by hand, for tests that must not believe the code that they test."""

from __future__ import annotations


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def number(field: int, value: int) -> bytes:
    """A field that holds a whole number, a truth value or an enum's."""
    return _varint(field << 3) + _varint(value)


def text(field: int, value: str | bytes) -> bytes:
    """A field that holds a string or bytes."""
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def inner(field: int, *fields: bytes) -> bytes:
    """A field that holds a message, or an entry of a map, or numbers packed."""
    return text(field, b"".join(fields))


def packed(field: int, *values: int) -> bytes:
    """A field that holds several whole numbers."""
    return inner(field, *(_varint(value) for value in values))


def entry(field: int, key: str, value: str) -> bytes:
    """One entry of a map from strings to strings."""
    return inner(field, text(1, key), text(2, value))
