"""Tokens that a file lists."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import pytest

from kagent_apply.auth.file_reading import FileFaultError
from kagent_apply.auth.port import Caller, Credentials
from kagent_apply.auth.tokens import ListedTokens, read_tokens
from kagent_apply.auth.watched_file import WatchedFile
from tests.apply.auth.files import Hand, Heard, put

SECRET = "0123456789abcdef0123456789abcdef"
OTHER = "fedcba9876543210fedcba9876543210"
HEAD = "apiVersion: apply.kagent.dev/v1alpha1\nkind: TokenList\nspec:\n  tokens:\n"


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _file(*entries: str) -> str:
    return HEAD + "".join(f"  - {entry}\n" for entry in entries)


ALICE = f"{{subject: alice, groups: [sre, dev], sha256: {_sha256(SECRET)}}}"
CI = f"{{subject: ci, token: {OTHER}}}"


def _listed(path: Path, hand: Hand, heard: Heard) -> ListedTokens:
    return ListedTokens(WatchedFile(str(path), read_tokens, heard, hand, private=True))


@pytest.mark.parametrize(
    ("bearer", "caller"),
    [
        (SECRET, Caller("alice", ("sre", "dev"), "tokens")),
        (OTHER, Caller("ci", (), "tokens")),
        (SECRET.upper(), None),
        (_sha256(SECRET), None),
        ("", None),
        ("\udcff" * 40, None),
        (None, None),
    ],
)
def test_a_token_is_its_callers(tmp_path: Path, bearer: str | None, caller: Caller | None) -> None:
    listed = _listed(put(tmp_path / "tokens", _file(ALICE, CI)), Hand(), Heard())
    assert listed.identify(Credentials(bearer)) == caller


@pytest.mark.parametrize("bearer", [SECRET, OTHER, "guess"])
def test_every_token_is_compared_in_constant_time(
    tmp_path: Path, bearer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = []

    def compare(a: bytes, b: bytes) -> bool:
        compared.append((len(a), len(b)))
        return a == b

    listed = _listed(put(tmp_path / "tokens", _file(ALICE, CI)), Hand(), Heard())
    monkeypatch.setattr(hmac, "compare_digest", compare)
    listed.identify(Credentials(bearer))
    assert compared == [(32, 32), (32, 32)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file must hold one document"),
        ("tokens: [\n", 2, "the file is not valid YAML"),
        ("- a\n", 1, "this must be a mapping"),
        (_file(ALICE).replace("spec:", "spek:"), 3, "the field is unknown"),
        (_file("{subject: a}"), 5, "exactly one of `sha256` and `token` must be there"),
        (_file(f"{{subject: a, token: {SECRET}, sha256: {_sha256(SECRET)}}}"), 5, "exactly one of `sha256`"),
        (_file(f"{{token: {SECRET}}}"), 5, "the token is nobody's"),
        (_file(ALICE, f"{{subject: mallory, token: {SECRET}}}"), 6, "the token is listed already"),
        (_file("{subject: a, token: short}"), 5, "`token` must be at least 32 visible ASCII characters"),
        (_file("{subject: a, sha256: ABCD}"), 5, "`sha256` must be 64 digits of `0-9a-f`"),
        (_file(f"{{subject: ' a', token: {SECRET}}}"), 5, "`subject` must be a printable name"),
        (_file(f"{{subject: 7, token: {SECRET}}}"), 5, "`subject` must be a printable name"),
        (_file(f"{{subject: a, groups: sre, token: {SECRET}}}"), 5, "`groups` must be a list"),
        (_file(f"{{subject: a, tokn: {SECRET}, token: {OTHER}}}"), 5, "the field is unknown"),
        (_file(ALICE).replace("TokenList", "Tokens"), 2, "`kind` must be `TokenList`"),
    ],
)
def test_a_broken_file_is_told_by_line_and_shows_nothing(text: str, line: int, message: str) -> None:
    with pytest.raises(FileFaultError) as caught:
        read_tokens("tokens.yaml", text.encode())
    assert any(fault.line == line and fault.message.startswith(message) for fault in caught.value.faults)
    told = str(caught.value)
    assert not any(secret in told for secret in (SECRET, OTHER, "short", "mallory", _sha256(SECRET)))


def test_of_a_part_that_is_missing_nothing_else_is_told() -> None:
    with pytest.raises(FileFaultError) as caught:
        read_tokens("tokens.yaml", _file(ALICE).replace("spec:", "spek:").encode())
    assert [(fault.line, fault.message, fault.hint) for fault in caught.value.faults] == [
        (1, "`spec` is missing", "write `spec:`, and its fields below it"),
        (3, "the field is unknown", "write `spec`"),
    ]


def test_an_unknown_field_is_told_with_the_nearest_name() -> None:
    with pytest.raises(FileFaultError, match="write `subject`"):
        read_tokens("tokens.yaml", _file(f"{{subjct: a, token: {SECRET}}}").encode())


@pytest.mark.parametrize(
    ("mode", "good"),
    [
        (0o600, True),
        (0o400, True),
        (0o440, True),
        (0o640, True),
        (0o644, False),
        (0o660, False),
        (0o602, False),
    ],
)
def test_a_file_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int, good: bool) -> None:
    path = put(tmp_path / "tokens", _file(ALICE), mode)
    if good:
        assert _listed(path, Hand(), Heard()).identify(Credentials(SECRET))
    else:
        with pytest.raises(FileFaultError, match="chmod 640"):
            _listed(path, Hand(), Heard())


def test_a_token_that_is_taken_off_the_list_stops_working_within_a_second(tmp_path: Path) -> None:
    hand, heard = Hand(), Heard()
    path = put(tmp_path / "tokens", _file(ALICE))
    listed = _listed(path, hand, heard)
    put(path, _file(CI))
    hand.now += 1
    assert listed.identify(Credentials(SECRET)) is None
    assert listed.identify(Credentials(OTHER))
    assert heard.lines == []


def test_no_text_of_the_list_shows_a_token_or_its_digest() -> None:
    text = repr(read_tokens("tokens.yaml", _file(ALICE, CI).encode()))
    assert OTHER not in text
    assert "digest" not in text
