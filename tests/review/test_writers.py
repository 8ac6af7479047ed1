"""Nothing that a repository says breaks out of what is written, and what is left out is counted."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from kagent_render.diagnostics.style import Style
from kagent_render.review import topics
from kagent_render.review.document import review_document
from kagent_render.review.fact import Fact
from kagent_render.review.markdown import markdown
from kagent_render.review.markdown_text import code, fenced, size
from kagent_render.review.page import page
from kagent_render.review.review import NOTHING
from kagent_render.review.text import text_lines
from tests.review.reviews import HOSTILE, hostile_review, large_review, review, side, subject

LIMIT = 65_536
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^`]*)$")


def outside_code(text: str) -> str:
    """What a reader of Markdown takes for markup: everything but code spans, fenced blocks and HTML code."""
    kept, fence = [], ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            closes = found and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
            continue
        if found:
            fence = found[1]
            continue
        kept.append(re.sub(r"<code>[^<]*</code>", "", _CODE.sub("", line)))
    assert fence == "", "a fence is left open"
    return "\n".join(kept)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_breaks_out_of_markdown(text: str) -> None:
    left = outside_code(markdown(hostile_review(text), LIMIT))
    for piece in ("octocat", "#123", "evil.example", "<script", "<img", "alert", "\x1b", "\u202e", "boo"):
        assert piece not in left
    assert left.count("<details>") == left.count("</details>") == 1
    for row in [line for line in left.split("\n") if line.startswith("|")]:
        assert row.count("|") == 4


@pytest.mark.parametrize("text", HOSTILE)
def test_no_line_of_text_or_markdown_is_a_command_of_a_runner(text: str) -> None:
    found = hostile_review(text)
    for line in (*text_lines(found, Style()), *markdown(found, LIMIT).split("\n")):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert line.isprintable() or not line


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src"):
                self.targets.add(value or "")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_breaks_out_of_html(text: str) -> None:
    written = page(hostile_review(text))
    parser = _Tags()
    parser.feed(written)
    assert not parser.tags & {"script", "img", "iframe", "object", "link", "base"}
    assert not any(name.startswith("on") for name in parser.attributes)
    assert all(target.startswith("#") for target in parser.targets)
    assert "\x1b" not in written
    assert "\u202e" not in written


def test_no_text_is_a_template_of_its_own() -> None:
    assert "{{ 7 * 7 }}" in page(hostile_review("{{ 7 * 7 }}"))


def test_the_page_allows_itself_nothing_but_its_own_style() -> None:
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert f'http-equiv="Content-Security-Policy" content="{policy}"' in page(review())


@pytest.mark.parametrize("write", [page, lambda found: markdown(found, LIMIT)])
def test_the_same_review_gives_the_same_bytes(write: object) -> None:
    assert callable(write)
    assert write(large_review(3, 4)) == write(large_review(3, 4))


@pytest.mark.parametrize("limit", [2_000, 5_000, 65_536])
@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (400, 2), (20, 40)])
def test_markdown_keeps_to_its_limit_and_counts_what_it_left_out(limit: int, shape: tuple[int, int]) -> None:
    found = large_review(*shape)
    text = markdown(found, limit)
    assert size(text) <= limit
    rows = text.count("| `team/")
    changes = len(re.findall(r"^- .*`\+`", text, re.MULTILINE))
    total = sum(len(subject.changes) for subject in found.subjects)
    assert (f"{len(found.subjects) - rows:,} of {len(found.subjects):,} rows of the table" in text) == (
        rows < len(found.subjects)
    )
    assert (f"{total - changes:,} of {total:,} changes" in text) == (changes < total)
    assert outside_code(text).count("<details>") == outside_code(text).count("</details>")
    assert NOTHING not in text


def test_what_widens_is_left_out_last() -> None:
    text = markdown(large_review(400, 2), 20_000)
    widening = [line for line in text.split("\n") if line.startswith("| `") and "widens" in line]
    other = [line for line in text.split("\n") if line.startswith("| `") and "neutral" in line]
    assert 0 < len(widening) <= 134
    assert len(widening) == 134 or not other


def test_a_text_beyond_the_basic_plane_counts_twice() -> None:
    assert size("a\N{GRINNING FACE}é") == 4


def test_nothing_is_said_in_every_format() -> None:
    found = review(same=2)
    assert NOTHING in "\n".join(text_lines(found, Style()))
    assert NOTHING in markdown(found, LIMIT)
    assert NOTHING in page(found)
    assert json.loads(json.dumps(review_document(found)))["differs"] is False


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a", "`a`"),
        ("`", "`` ` ``"),
        ("a``b", "```a``b```"),
        (" ", "*(empty)*"),
        ("a\nb", "`a b`"),
    ],
)
def test_a_code_span_is_longer_than_what_is_in_it(text: str, written: str) -> None:
    assert code(text) == written


def test_a_fence_is_longer_than_what_is_in_it() -> None:
    assert fenced(["+````", " x"], "diff").split("\n")[0] == "`````diff"


def test_a_long_patch_is_cut_and_says_so() -> None:
    found = large_review(1, 1, lines=5_000)
    assert "more lines are left out" in markdown(found, LIMIT)
    assert "more lines are left out" in "\n".join(text_lines(found, Style()))
    assert "more lines are left out" in page(found)
    assert "more lines" not in json.dumps(review_document(found))


@pytest.mark.parametrize("end", ["!", " and more" * 300])
def test_no_end_of_a_long_line_is_hidden(end: str) -> None:
    long = "All is well. " * 200
    before, after = (side(Fact(topics.PROMPT, "", "", text)) for text in (long, long + end))
    found = review(subject(before, after))
    for written in ("\n".join(text_lines(found, Style())), markdown(found, LIMIT), page(found)):
        pieces = re.findall(r"(?m)^ *(?:<span class=\"added\">)?\+…?([^\n<]*)", written)
        assert "".join(pieces) == long + end


def test_letters_from_right_to_left_swap_no_values() -> None:
    one, two = (side(Fact(topics.ENDPOINT, "", "", f"https://{name}")) for name in ("\u05d0", "\u05d1"))
    assert "`https://\u05d0` \u200e→\u200e `https://\u05d1`" in markdown(review(subject(one, two)), LIMIT)


def test_text_is_the_same_with_colour_and_without() -> None:
    found = hostile_review("a")
    plain = "\n".join(text_lines(found, Style()))
    coloured = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(text_lines(found, Style(colour=True))))
    assert [line.rstrip() for line in coloured.split("\n")] == plain.split("\n")
