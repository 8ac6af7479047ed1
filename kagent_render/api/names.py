"""The syntax of Kubernetes names and labels."""

from __future__ import annotations

import re
from typing import Final

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_DNS_LABEL: Final = re.compile(_LABEL)
_DNS_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_PART: Final = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_NAME_PART: Final = re.compile(_PART)

DNS_LABEL: Final = f"^{_LABEL.replace('?:', '')}$"
DNS_SUBDOMAIN: Final = f"^{_DNS_SUBDOMAIN.pattern}$"
LABEL_KEY: Final = f"^({_DNS_SUBDOMAIN.pattern}/)?{_PART}$"
LABEL_VALUE: Final = f"^({_PART})?$"
"""The same as RE2 and ECMAScript patterns; of the parts of a label's key only the name is bounded here."""

LONGEST_LABEL_KEY: Final = 253 + 1 + 63
"""The most characters of a label's key: a DNS subdomain, a slash and a name."""


def is_dns_label(text: str) -> bool:
    """Whether `text` can name a namespace (RFC 1123 label)."""
    return _DNS_LABEL.fullmatch(text) is not None


def is_dns_subdomain(text: str) -> bool:
    """Whether `text` can name an object (RFC 1123 subdomain of at most 253 characters)."""
    return len(text) <= 253 and _DNS_SUBDOMAIN.fullmatch(text) is not None


def is_label_key(text: str) -> bool:
    """Whether `text` can be the key of a label: a name of at most 63 characters, a DNS prefix before `/`."""
    prefix, slash, name = text.rpartition("/")
    return (not slash or is_dns_subdomain(prefix)) and _NAME_PART.fullmatch(name) is not None


def is_label_value(text: str) -> bool:
    """Whether `text` can be the value of a label."""
    return not text or _NAME_PART.fullmatch(text) is not None
