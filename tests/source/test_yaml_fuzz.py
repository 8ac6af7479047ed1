"""Hostile bytes: the reader refuses with its own error, or gives JSON data that it can locate."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml
from tests.source.yaml_texts import PIECES, SCALARS, TextMaker

MANIFEST = b"""\
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata: &meta {name: a, namespace: b}
spec:
  copy: *meta
  <<: {x: 1}
  systemPrompt: |
    text "quoted"
  tools:
  - mcp: {tools: [find, 'read', "see\\n"]}
"""


def check(data: bytes) -> None:
    places = []
    try:
        for document in read_yaml(data):
            json.dumps(document.value, allow_nan=False)
            places.append(document.locator.locate(("spec", "tools", 0)))
    except YAMLInvalidError as error:
        places.append((error.line, error.column))
    assert all(line >= 1 and column >= 1 for line, column in places)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=64) | st.text(max_size=64).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    check(data)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from([*PIECES, *SCALARS, "---\n", "...\n", "%TAG ! x\n", "kind: Secret\n"]), max_size=20
    )
)
def test_any_pieces_of_yaml_are_read_or_refused(pieces: list[str]) -> None:
    check("".join(pieces).encode())


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_manifest_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(400):
        data = bytearray(MANIFEST)
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(data))
            data[at : at + chance.randrange(4)] = chance.choice(
                [b"", b"\x00", b"\xff", b"{", b"*", b"&meta ", b"\t"]
            )
        check(bytes(data))


@pytest.mark.parametrize("seed", range(3))
def test_odd_texts_are_read_or_refused(seed: int) -> None:
    maker = TextMaker(seed)
    for _ in range(500):
        check(maker.text().encode())
