"""Our engine beside Go's own text/template, on templates that nobody chose."""

from __future__ import annotations

import base64
import json
import random
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from kagent_render.prompt import code_points
from tests.parts import go_program
from tests.prompt import expressions
from tests.prompt.grammar import Grammar
from tests.prompt.rendering import CONTEXT, EMPTY, SOURCES, Verdict, fields_of, judge, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.oracle

BATCH = 2_000
NOT_TEXT = Verdict("execute", message="the output is not valid UTF-8, so it is no text")


def answers(cases: list[dict[str, Any]]) -> Iterator[Verdict]:
    """What Go makes of each case; an output that is no text counts as our refusal of it."""
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([go_program("gotemplate")], input=lines, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if "stage" in answer:
            yield Verdict(answer["stage"], message=answer["error"])
            continue
        try:
            yield Verdict("ok", base64.b64decode(answer["output"] or "").decode())
        except UnicodeDecodeError:
            yield NOT_TEXT


def disagreements(templates: list[str]) -> list[tuple[str, Verdict, Verdict]]:
    """The templates that we and Go treat differently; what we name as unsupported is none of them."""
    contexts = [CONTEXT if place % 2 else EMPTY for place in range(len(templates))]
    cases = [
        {"template": text, "context": fields_of(context), "sources": SOURCES}
        for text, context in zip(templates, contexts, strict=True)
    ]
    found = []
    for text, context, theirs in zip(templates, contexts, answers(cases), strict=True):
        ours = judge(text, context)
        unsupported = ours.stage == "execute" and ours.message.endswith("not supported")
        if not unsupported and (ours.stage, ours.output) != (theirs.stage, theirs.output):
            found.append((text, ours, theirs))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_random_templates_render_as_in_go(seed: int) -> None:
    grammar = Grammar(random.Random(seed))
    assert disagreements([grammar.template() for _ in range(BATCH)]) == []


@pytest.mark.parametrize("make", expressions.MAKERS, ids=lambda make: make.__name__)
def test_random_expressions_render_as_in_go(make: Callable[[random.Random], str]) -> None:
    source = random.Random(make.__name__)
    assert disagreements([make(source) for _ in range(BATCH)]) == []


def test_mutated_vectors_render_as_in_go() -> None:
    source = random.Random(7)
    grammar = Grammar(source)
    # Go takes its deep recursion from memory that it does not give back in time.
    texts = [vector["template"] for vector in vectors() if vector["name"] != "recursion"]
    assert disagreements([grammar.mutated(source.choice(texts)) for _ in range(BATCH)]) == []


def test_the_vectors_are_what_go_writes() -> None:
    cases = [{key: case[key] for key in ("template", "context", "sources")} for case in vectors()]
    for case, theirs in zip(vectors(), answers(cases), strict=True):
        assert theirs.stage == case.get("error_stage", "ok"), case["name"]
        assert theirs.output == case.get("want", ""), case["name"]


@pytest.mark.parametrize("name", ["letters", "digits", "printable"])
def test_classes_of_code_points_are_those_of_go(name: str) -> None:
    done = subprocess.run([go_program("gotemplate"), "runes"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    theirs = {rune for first, last in answer[name] for rune in range(first, last + 1) if rune >= 0x80}
    ours = set(code_point_set(getattr(code_points, name.upper())))
    # Go 1.27 has Unicode 17; an older Go can only tell that nothing it knows is missing.
    assert theirs <= ours
    if answer["unicode"] == "17.0.0":
        assert theirs == ours


def code_point_set(text: str) -> Iterator[int]:
    for word in text.split():
        first, _, last = word.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)
