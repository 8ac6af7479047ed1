"""Servers that lie, break off, send others away or say nothing: one clear failure each, in bounded time."""

from __future__ import annotations

import gzip
import random
import threading
import time
from collections.abc import Iterator

import pytest

from kagent_render.artifacts.archive.limits import MIB, Limits
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.git.fetching import HURRIED, PATIENT, QUICK, contents, failure, fetch
from tests.artifacts.git.packs import (
    BLOB,
    COMMIT,
    ID_DELTA,
    TREE,
    Objects,
    banded,
    capabilities,
    delta,
    entry,
    pack_of,
    packfile,
    pkt,
    speaking,
)
from tests.servers import Answer, Request, ScriptedServer, drip, serving, stall

HONEST = Objects()
COMMIT_ID = HONEST.add_files({"a": b"honest", "d/b": b"2"})
FAILED, MISMATCH = Reason.ARTIFACT_FETCH_FAILED, Reason.ARTIFACT_DIGEST_MISMATCH
ADVERTISED = "application/x-git-upload-pack-advertisement"
RESULT = "application/x-git-upload-pack-result"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    """A server whose answer each test sets."""
    with serving(speaking(b"")) as running:
        yield running


def without(kind: int) -> bytes:
    """A pack that lacks an object of a kind."""
    left = [found for found in HONEST.held.values() if found[0] != kind]
    return pack_of(*(entry(*found) for found in left))


def replaced(kind: int, data: bytes) -> bytes:
    """A pack with something else in the place of the objects of a kind."""
    left = [found for found in HONEST.held.values() if found[0] != kind]
    return pack_of(*(entry(*found) for found in (*left, (kind, data))))


LOOP = pack_of(*HONEST.entries, entry(ID_DELTA, delta(b"x", b"1"), base=bytes(20)))

ANSWERS: dict[str, tuple[bytes, Reason, str]] = {
    "another-blob": (packfile(replaced(BLOB, b"tampered")), MISMATCH, "another blob: expected"),
    "another-tree": (packfile(replaced(TREE, b"")), MISMATCH, "another tree: expected"),
    "another-commit": (packfile(replaced(COMMIT, b"tree x")), MISMATCH, "another commit: expected"),
    "no-blob": (packfile(without(BLOB)), FAILED, "left out the blob"),
    "no-tree": (packfile(without(TREE)), FAILED, "left out the tree"),
    "no-commit": (packfile(without(COMMIT)), FAILED, "left out the commit"),
    "empty-pack": (packfile(pack_of()), FAILED, "left out the commit"),
    "bad-trailer": (packfile(HONEST.pack[:-20] + bytes(20)), MISMATCH, "checksum of the pack"),
    "cut-off-pack": (packfile(HONEST.pack[:-30]), MISMATCH, "checksum of the pack"),
    "delta-loop": (packfile(LOOP), FAILED, "deltas whose base is missing"),
    "no-pack": (pkt(b"packfile\n") + b"0000", FAILED, "not a pack"),
    "cut-off-answer": (packfile(HONEST.pack)[:-4], FAILED, "broke off"),
    "cut-off-line": (packfile(HONEST.pack)[:-40], FAILED, "broke off"),
    "nothing": (b"", FAILED, "broke off"),
    "web-page": (b"<html><body>Not here</body></html>", FAILED, "not Git's protocol"),
    "bad-length": (pkt(b"packfile\n") + b"00zz", FAILED, "not Git's protocol"),
    "negative-length": (pkt(b"packfile\n") + b"-001", FAILED, "not Git's protocol"),
    "reserved-length": (pkt(b"packfile\n") + b"0003", FAILED, "not Git's protocol"),
    "length-beyond": (pkt(b"packfile\n") + b"fff0\1PACK", FAILED, "broke off"),
    "empty-line": (pkt(b"packfile\n", b""), FAILED, "not Git's protocol"),
    "unknown-band": (pkt(b"packfile\n", b"\7x"), FAILED, "not Git's protocol"),
    "unknown-section": (pkt(b"packfile-uris\n"), FAILED, "not Git's protocol"),
    "error-line": (pkt(b"ERR broken `\x1b[31m"), FAILED, "`broken \ufffd\ufffd[31m`"),
    "error-band": (pkt(b"packfile\n", b"\3out of memory\n"), FAILED, "refused with `out of memory`"),
    "error-long": (pkt(b"ERR " + b"x" * 60_000), FAILED, "x\u2026`"),
    "absent": (pkt(b"ERR not our ref " + b"1" * 40), Reason.ARTIFACT_NOT_FOUND, "no such commit"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "reason", "text"), ANSWERS.values(), ids=ANSWERS)
def test_a_lie_in_the_answer_is_told(
    answer: bytes, reason: Reason, text: str, server: ScriptedServer
) -> None:
    server.answer = speaking(answer)
    told = failure(server.url, COMMIT_ID, bounds=HURRIED)
    assert told.reason is reason
    assert text in told.message
    assert len(told.message) < 500


def test_objects_that_nobody_asked_for_change_nothing(server: ScriptedServer) -> None:
    more = [entry(BLOB, b"more"), entry(COMMIT, b"tree x"), entry(BLOB, b"honest")]
    server.answer = speaking(packfile(pack_of(*HONEST.entries, *more)))
    assert {path: data for path, (data, _) in contents(fetch(server.url, COMMIT_ID)).items()} == {
        "a": b"honest",
        "d/b": b"2",
    }


def test_progress_and_small_bands_change_nothing(server: ScriptedServer) -> None:
    progress = pkt(*[b"\2Counting objects\r"] * 50)
    pieces = progress + banded(HONEST.pack, size=3) + progress
    server.answer = speaking(pkt(b"packfile\n") + pieces + b"0000")
    assert fetch(server.url, COMMIT_ID).files


def test_a_server_that_ignores_the_filter_is_taken(server: ScriptedServer) -> None:
    server.answer = speaking(packfile(HONEST.pack), capabilities(b"filter"))
    assert list(fetch(server.url, COMMIT_ID, "d").files) == ["d/b"]


def test_a_server_that_filters_but_gives_no_blob_by_its_id_is_asked_for_all(server: ScriptedServer) -> None:
    def answer(request: bytes) -> bytes:
        if b"blob:none" in request:
            return packfile(without(BLOB))
        return packfile(HONEST.pack) if COMMIT_ID.encode() in request else pkt(b"ERR want not valid")

    server.answer = speaking(answer, capabilities(b"filter"))
    assert list(fetch(server.url, COMMIT_ID, "d").files) == ["d/b"]


def test_all_answers_together_are_bounded(server: ScriptedServer) -> None:
    trees = [entry(*found) for found in HONEST.held.values() if found[0] != BLOB]
    pack = pack_of(*trees, entry(BLOB, random.Random(1).randbytes(MIB)))
    server.answer = speaking(packfile(pack), capabilities(b"filter"))
    told = failure(server.url, COMMIT_ID, "d", limits=Limits(archive=len(pack) * 3 // 2))
    assert "the server sends more than 1 MiB" in told.message


def test_blobs_that_are_left_out_for_good_are_told(server: ScriptedServer) -> None:
    server.answer = speaking(packfile(without(BLOB)), capabilities(b"filter"))
    told = failure(server.url, COMMIT_ID, "d")
    assert "left out the blob" in told.message


ADVERTISEMENTS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "broke off"),
    "flush": (b"0000", "the repository is empty"),
    "web-page": (b"<html>", "not Git's protocol"),
    "another-service": (pkt(b"# service=git-upload-pack\n", b"x"), "not Git's protocol"),
    "no-capabilities": (pkt(b"1" * 40 + b" refs/heads/main\n") + b"0000", "not Git's protocol"),
    "bad-id": (pkt(b"xyz refs/heads/main\0side-band-64k\n") + b"0000", "not Git's protocol"),
    "error": (pkt(b"ERR access denied"), "refused with `access denied`"),
    "another-format": (capabilities(algorithm="sha256"), "does not name its commits by sha1"),
    "unknown-format": (capabilities(algorithm="md5"), "does not name its commits by sha1"),
    "cut-off": (capabilities()[:-10], "broke off"),
}


@pytest.mark.parametrize(("advertisement", "text"), ADVERTISEMENTS.values(), ids=ADVERTISEMENTS)
def test_a_lie_in_the_advertisement_is_told(advertisement: bytes, text: str, server: ScriptedServer) -> None:
    server.answer = speaking(packfile(HONEST.pack), advertisement)
    assert text in failure(server.url, COMMIT_ID, bounds=HURRIED).message


OLD = pkt(f"{COMMIT_ID} HEAD".encode() + b"\0side-band-64k shallow\n") + b"0000"
OLD_HEAD = b"0000" + pkt(b"NAK\n")
OLD_ANSWERS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "broke off"),
    "no-shallow-lines": (pkt(b"NAK\n") + packfile(HONEST.pack), "broke off"),
    "no-end-of-negotiation": (b"0000" + banded(HONEST.pack) + b"0000", "not Git's protocol"),
    "error": (pkt(b"ERR out of memory"), "refused with `out of memory`"),
    "another-commit": (OLD_HEAD + banded(replaced(COMMIT, b"tree x")) + b"0000", "another commit"),
    "no-bands": (OLD_HEAD + HONEST.pack, "not Git's protocol"),
}  # fmt: skip


def test_an_old_server_is_understood(server: ScriptedServer) -> None:
    answer = pkt(f"shallow {COMMIT_ID}".encode()) + b"0000" + pkt(b"NAK\n") + banded(HONEST.pack) + b"0000"
    server.answer = speaking(answer, OLD)
    assert fetch(server.url, COMMIT_ID).files


@pytest.mark.parametrize(("answer", "text"), OLD_ANSWERS.values(), ids=OLD_ANSWERS)
def test_a_lie_of_an_old_server_is_told(answer: bytes, text: str, server: ScriptedServer) -> None:
    server.answer = speaking(answer, OLD)
    assert text in failure(server.url, COMMIT_ID, bounds=HURRIED).message


def status(code: int, location: str = "") -> Answer:
    return lambda request: request.reply(b"secret page", code, Location=location)


STATUSES: dict[int, tuple[Reason, str, str]] = {
    400: (FAILED, "answered 400", ""),
    401: (FAILED, "asks for credentials, and none were found", "git credential fill"),
    403: (FAILED, "access was denied", "credentials"),
    404: (Reason.ARTIFACT_NOT_FOUND, "no repository at that URL", "credentials"),
    407: (FAILED, "the proxy asks for credentials", "http_proxy"),
    410: (Reason.ARTIFACT_NOT_FOUND, "no repository at that URL", "url"),
    429: (FAILED, "answered 429", "later"),
    500: (FAILED, "answered 500", "later"),
    503: (FAILED, "answered 503", "later"),
}


@pytest.mark.parametrize("code", STATUSES)
def test_a_status_is_told_with_what_helps(code: int, server: ScriptedServer) -> None:
    server.answer = status(code)
    told = failure(server.url, COMMIT_ID, bounds=HURRIED)
    reason, text, hint = STATUSES[code]
    assert told.reason is reason
    assert text in told.message
    assert hint in (told.hint or "")


@pytest.mark.parametrize("code", [429, 500, 503])
def test_what_may_pass_is_tried_again(code: int, server: ScriptedServer) -> None:
    left = [status(code), status(code)]
    honest = speaking(packfile(HONEST.pack))
    server.answer = lambda request: (left.pop() if left else honest)(request)
    assert fetch(server.url, COMMIT_ID, bounds=PATIENT).files


def test_a_connection_that_drops_is_tried_again(server: ScriptedServer) -> None:
    honest = speaking(packfile(HONEST.pack))
    left = ["GET", "POST"]

    def answer(request: Request) -> None:
        if request.command in left:
            left.remove(request.command)
            request.close_connection = True
        else:
            honest(request)

    server.answer = answer
    assert fetch(server.url, COMMIT_ID, bounds=PATIENT).files
    assert not left


def test_an_answer_that_broke_off_is_asked_for_once_more(server: ScriptedServer) -> None:
    answers = [packfile(HONEST.pack)[:100], packfile(HONEST.pack)]
    server.answer = speaking(lambda _: answers.pop(0))
    assert fetch(server.url, COMMIT_ID).files
    answers = [packfile(HONEST.pack)[:100]] * 2 + [packfile(HONEST.pack)]
    assert "broke off" in failure(server.url, COMMIT_ID).message


@pytest.mark.parametrize(
    ("kind", "text"),
    [("text/plain", "smart protocol"), ("text/html", "something else"), (RESULT, "something else")],
)
def test_an_answer_of_another_type_is_told(kind: str, text: str, server: ScriptedServer) -> None:
    server.answer = lambda request: request.reply(capabilities(), Content_Type=kind)
    assert text in failure(server.url, COMMIT_ID).message


def test_a_type_with_parameters_is_taken(server: ScriptedServer) -> None:
    def answer(request: Request) -> None:
        kind, body = (
            (ADVERTISED, capabilities()) if request.command == "GET" else (RESULT, packfile(HONEST.pack))
        )
        request.reply(body, Content_Type=f"{kind.title()}; charset=utf-8")

    server.answer = answer
    assert fetch(server.url, COMMIT_ID).files


def encoded(body: bytes, encoding: str) -> Answer:
    def answer(request: Request) -> None:
        if request.command == "GET":
            request.reply(capabilities(), Content_Type=ADVERTISED)
        else:
            request.reply(body, Content_Type=RESULT, Content_Encoding=encoding)

    return answer


@pytest.mark.parametrize("rest", [b"", b"more" * 50_000], ids=["exact", "with-more-behind"])
def test_a_compressed_answer_is_taken(rest: bytes, server: ScriptedServer) -> None:
    server.answer = encoded(gzip.compress(packfile(HONEST.pack)) + rest, "gzip")
    assert fetch(server.url, COMMIT_ID).files


@pytest.mark.parametrize(
    ("body", "encoding", "reason"),
    [
        (gzip.compress(packfile(bytes(40 * MIB))), "gzip", Reason.ARTIFACT_TOO_LARGE),
        (b"\x1f\x8bnot gzip", "gzip", FAILED),
        (gzip.compress(packfile(HONEST.pack))[:60], "gzip", FAILED),
        (packfile(HONEST.pack), "br", FAILED),
        (packfile(HONEST.pack), "gzip, gzip", FAILED),
    ],
    ids=["bomb", "no-gzip", "cut-off", "unknown", "twice"],
)
def test_a_compressed_answer_is_bounded_and_checked(
    body: bytes, encoding: str, reason: Reason, server: ScriptedServer
) -> None:
    server.answer = encoded(body, encoding)
    told = failure(server.url, COMMIT_ID, limits=Limits(archive=MIB))
    assert told.reason is reason


@pytest.mark.parametrize("kind", [b"\1", b"\2"], ids=["data", "progress"])
def test_an_endless_answer_is_bounded_in_bytes(kind: bytes, server: ScriptedServer) -> None:
    def answer(request: Request) -> None:
        if request.command == "GET":
            request.reply(capabilities(), Content_Type=ADVERTISED)
            return
        piece = pkt(kind + bytes(30_000))
        request.wfile.write(HEAD % RESULT.encode())
        lines = pkt(b"packfile\n")
        try:
            while True:
                request.wfile.write(b"%x\r\n%b\r\n" % (len(lines), lines))
                lines = piece
        except OSError:
            request.close_connection = True

    server.answer = answer
    told = failure(server.url, COMMIT_ID, limits=Limits(archive=MIB))
    assert told.reason is Reason.ARTIFACT_TOO_LARGE


def test_an_endless_advertisement_is_bounded_in_bytes(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.remote._ADVERTISEMENT_BYTES", 10_000)
    refs = pkt(*(b"%b refs/heads/%d\n" % (b"1" * 40, number) for number in range(1_000)))
    server.answer = speaking(b"", pkt(b"1" * 40 + b" HEAD\0shallow\n") + refs + b"0000")
    assert failure(server.url, COMMIT_ID).reason is Reason.ARTIFACT_TOO_LARGE


@pytest.mark.parametrize("length", [1, 10_000])
def test_a_length_that_lies_is_told(length: int, server: ScriptedServer) -> None:
    def answer(request: Request) -> None:
        if request.command == "GET":
            request.reply(capabilities(), Content_Type=ADVERTISED)
        else:
            request.reply(packfile(HONEST.pack), length=length, Content_Type=RESULT)

    server.answer = answer
    assert "broke off" in failure(server.url, COMMIT_ID, bounds=HURRIED).message


def after_advertisement(answer: Answer) -> Answer:
    """Answer the first request honestly and the second one so."""

    def both(request: Request) -> None:
        if request.command == "GET":
            request.reply(capabilities(), Content_Type=ADVERTISED)
        else:
            answer(request)

    return both


PACKFILE = HEAD % RESULT.encode() + b"d\r\n" + pkt(b"packfile\n") + b"\r\n"
DRIPPED_HEAD = drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", 0.05, 100)


def raw(data: bytes) -> Answer:
    """Write something that need not be HTTP, and hang up."""

    def answer(request: Request) -> None:
        request.wfile.write(data)
        request.close_connection = True

    return answer


GARBAGE = {
    "another-protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "no-header": b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
    "endless-line": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000,
    "many-headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000 + b"\r\n",
    "two-lengths": HEAD.replace(b"Transfer-Encoding: chunked", b"Content-Length: 1, 2") % ADVERTISED.encode(),
    "no-length": HEAD.replace(b"Transfer-Encoding: chunked", b"Content-Length: x") % ADVERTISED.encode(),
    "bad-chunk": HEAD % ADVERTISED.encode() + b"zz\r\n",
    "cut-off-chunk": HEAD % ADVERTISED.encode() + b"ff\r\n001e",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_what_is_not_http_is_told(
    data: bytes, server: ScriptedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for answer in (raw(data), after_advertisement(raw(data))):
        server.answer = answer
        assert failure(server.url, COMMIT_ID, bounds=HURRIED).reason is FAILED
    assert capfd.readouterr().err == ""


SLOW: dict[str, Answer] = {
    "stalls": stall(5),
    "drips-a-head": DRIPPED_HEAD,
    "drips-an-advertisement": drip(HEAD % ADVERTISED.encode(), b"1\r\nf\r\n", 0.05, 100),
    "drips-a-chunk-size": drip(HEAD % ADVERTISED.encode(), b"0", 0.05, 100),
    "stalls-later": after_advertisement(stall(5)),
    "drips-later": after_advertisement(DRIPPED_HEAD),
    "drips-a-pack": after_advertisement(drip(PACKFILE, b"6\r\n0006\2x\r\n", 0.05, 100)),
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW)
def test_a_slow_server_is_told_within_the_bounds(answer: Answer, server: ScriptedServer) -> None:
    server.answer = answer
    started = time.monotonic()
    told = failure(server.url, COMMIT_ID, bounds=QUICK)
    assert time.monotonic() - started < 3 * (QUICK.answer + QUICK.body)
    assert told.reason is FAILED
    assert "in time" in told.message or "broke off" in told.message


def test_nothing_that_listens_is_told_within_the_bounds() -> None:
    started = time.monotonic()
    told = failure("http://127.0.0.1:9", COMMIT_ID, bounds=QUICK)
    assert time.monotonic() - started < 3 * QUICK.answer
    assert "the connection failed" in told.message


def test_a_name_that_leads_nowhere_is_told() -> None:
    assert "the connection failed" in failure("http://nowhere.invalid/x", COMMIT_ID, bounds=HURRIED).message


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1/r",
        "http://127.0.0.1:port/r",
        "http://127.0.0.1:0/r",
        "http:///r",
        "http://a..b/r",
        f"http://{'a' * 70}.invalid/r",
        "http://a b/",
        "ftp://a/r",
    ],
)
def test_a_url_that_is_none_is_told(url: str) -> None:
    assert failure(url, COMMIT_ID, bounds=HURRIED).reason is FAILED


def redirecting(location: str, code: int = 301) -> Answer:
    def answer(request: Request) -> None:
        if "/moved/" in request.path:
            speaking(packfile(HONEST.pack))(request)
        else:
            request.reply(b"", code, Location=location)

    return answer


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["{}", ""], ids=["absolute", "relative"])
def test_a_redirect_is_followed_and_holds_for_the_second_request(
    code: int, location: str, server: ScriptedServer
) -> None:
    place = location.format(server.url) + "/moved/r.git/info/refs?service=git-upload-pack"
    server.answer = redirecting(place, code)
    assert fetch(f"{server.url}/r", COMMIT_ID).files


TAIL = "/info/refs?service=git-upload-pack"
REDIRECTS = {
    "loop": (TAIL, "more than 5 times"),
    "nowhere": ("", "more than 5 times"),
    "page": ("/login", "not a repository's URL"),
    "other-service": ("/r/info/refs?service=git-receive-pack", "not a repository's URL"),
    "file": ("file:///etc/info/refs?service=git-upload-pack", "not a repository's URL"),
    "ftp": ("ftp://127.0.0.1/r" + TAIL, "not a repository's URL"),
    "user": ("http://user:secret@127.0.0.1/r" + TAIL, "not a repository's URL"),
    "bad-port": ("http://127.0.0.1:port/r" + TAIL, "not a repository's URL"),
    "bad-host": ("http://[::1/r" + TAIL, "not a repository's URL"),
}


@pytest.mark.parametrize(("location", "text"), REDIRECTS.values(), ids=REDIRECTS)
def test_a_redirect_that_leads_astray_is_told(location: str, text: str, server: ScriptedServer) -> None:
    server.answer = redirecting(location)
    assert text in failure(f"{server.url}/r", COMMIT_ID, bounds=HURRIED).message


def test_a_redirect_of_the_second_request_is_not_followed(server: ScriptedServer) -> None:
    server.answer = after_advertisement(status(307, f"{server.url}/moved/git-upload-pack"))
    assert "answered 307" in failure(server.url, COMMIT_ID).message


def test_many_failures_leave_no_thread_behind(server: ScriptedServer) -> None:
    server.answer = drip(HEAD % ADVERTISED.encode(), b"1\r\n0\r\n", 0.05, 1_000)
    before = threading.active_count()
    for _ in range(3):
        failure(server.url, COMMIT_ID, bounds=QUICK)
    time.sleep(QUICK.read * 2)
    assert threading.active_count() <= before + 3
