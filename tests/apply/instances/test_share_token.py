"""A share's token is told once; what is kept does not tell it."""

from __future__ import annotations

import hashlib
import secrets

import pytest

from kagent_apply.instances.share_token import new_share_token, share_digest

SEVENS = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"


def test_the_digest_is_of_the_token_as_it_is_written() -> None:
    token = new_share_token(lambda length: b"\7" * length)
    assert token.text == SEVENS
    assert token.digest == hashlib.sha256(SEVENS.encode()).digest()


def test_a_presented_token_is_found_by_the_digest_that_was_stored() -> None:
    token = new_share_token(secrets.token_bytes)
    assert share_digest(token.text) == token.digest
    assert new_share_token(secrets.token_bytes).digest != token.digest


def test_no_text_of_a_token_shows_it() -> None:
    token = new_share_token(secrets.token_bytes)
    assert token.text not in f"{token} {token!r}"


@pytest.mark.parametrize(
    "presented", ["", SEVENS[:-1], f"{SEVENS}a", f"{SEVENS}=", f"{SEVENS[:-1]}+", f"{SEVENS}\n", "é" * 43]
)
def test_what_is_no_token_is_not_looked_up(presented: str) -> None:
    assert share_digest(presented) is None


def test_a_source_that_gives_too_little_is_not_used() -> None:
    with pytest.raises(ValueError, match="gave 31 instead of 32"):
        new_share_token(lambda length: b"\7" * (length - 1))
