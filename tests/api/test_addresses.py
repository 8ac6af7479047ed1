import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.api.addresses import NoUserInReference
from kagent_render.api.user_information import USER_INFORMATION, has_user_information

WITH = [
    "https://user@h/x",
    "https://user:word@h",
    "HTTPS://user:word@h",
    "https://user:@h",
    "https://:word@h",
    "http:\\\\user:word@h",
    "https:///user:word@h/x",
    " https://user:word@h",
    "https://user:wo/rd@h/x",
    "https://user:wo#rd@h",
    "https://user:wo?rd@h",
    "user:word@h",
    "user@h:11434",
    "git+ssh://git@h/x",
    "s3://key:word@bucket/x",
    "https://user%40:word@h",
    "https://[::1]@h",
]
WITHOUT = [
    "https://h",
    "https://h:8443/x",
    "https://h/@scope/x",
    "https://h/x?mail=a@b",
    "https://h:443/x#a@b",
    "https://[::1]:8080/a@b",
    "http://h/a:b@c",
    "ollama.models:11434",
    "ollama.models:11434/a@b",
    "s3://bucket/x",
    "bucket",
    "",
]


@pytest.mark.parametrize("address", WITH)
def test_names_a_user(address: str) -> None:
    assert has_user_information(address)


@pytest.mark.parametrize("address", WITHOUT)
def test_names_no_user(address: str) -> None:
    assert not has_user_information(address)


@pytest.mark.parametrize(
    ("reference", "clean"),
    [
        ("ghcr.io/a/b@sha256:" + "0" * 64, True),
        ("localhost:5000/b:1@sha256:" + "0" * 64, True),
        ("b@sha256:12", True),
        ("user:word@ghcr.io/b@sha256:" + "0" * 64, False),
        ("oci://user:word@ghcr.io/b@sha256:" + "0" * 64, False),
    ],
)
def test_a_digest_is_no_user(reference: str, clean: bool) -> None:
    assert NoUserInReference.holds(reference) is clean


@pytest.mark.parametrize("address", [*WITH, *WITHOUT])
def test_the_pattern_for_other_programs_says_the_same(address: str) -> None:
    assert (re.search(USER_INFORMATION, address) is not None) is has_user_information(address)


_PARTS = ["https:", "s3:", "/", "//", "\\", ":", "@", "?", "#", "8080", "host", "a.b", " ", "x", "\n"]


@given(st.lists(st.sampled_from(_PARTS), max_size=9).map("".join))
def test_the_pattern_says_the_same_of_any_address_without_brackets(address: str) -> None:
    assert (re.search(USER_INFORMATION, address) is not None) is has_user_information(address)
