"""What the messages of the tests hold again and again: their bytes, and what those say."""

from __future__ import annotations

from typing import Any

from tests.target.wire import inner, number, packed, text

Case = tuple[str, str, bytes, dict[str, Any]]
"""The request's and the reply's message, the request's bytes, and what they say."""

REF = text(1, "payments") + text(2, "triage")
REF_SAYS = {"atespace": "payments", "name": "triage"}
METADATA = REF + text(3, "c0ffee") + number(4, 300)
METADATA_SAYS = {**REF_SAYS, "uid": "c0ffee", "version": "300"}
GLOBAL = text(2, "payments")
GLOBAL_SAYS = {"name": "payments"}
PAGE = text(1, "payments") + number(2, 500) + text(3, "next")
PAGE_SAYS = {"atespace": "payments", "page_size": 500, "page_token": "next"}
OPTIONS = number(1, 7) + text(2, "c0ffee")
OPTIONS_SAY = {"version": "7", "uid": "c0ffee"}
RULE = inner(
    1,
    text(1, "api.example.com"),
    inner(2, packed(2, 80, 8080)),
    inner(3, inner(1, text(1, "authorization"), text(2, "Bearer "), text(3, "ate-secret://k8s.io/a"))),
)
RULE_SAYS = {
    "http": {
        "hostnames": ["api.example.com"],
        "ports": {"numbers": [80, 8080]},
        "effects": {
            "replace_headers": [
                {"header": "authorization", "prefix": "Bearer ", "credential_uri": "ate-secret://k8s.io/a"}
            ]
        },
    }
}
BINDING = inner(2, text(1, "owner"), text(2, "user:a"))
POLICY_SAYS = {"metadata": {"name": "default"}, "bindings": [{"role": "owner", "members": ["user:a"]}]}
POLICY = inner(1, text(2, "default")) + BINDING
