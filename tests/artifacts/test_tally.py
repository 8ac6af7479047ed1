"""What a person reads while artifacts are fetched."""

from __future__ import annotations

from kagent_render.api.hub import GitSource, S3Source
from kagent_render.artifacts.tally import Tally


def test_the_sentence_counts_artifacts_and_bytes_and_names_the_last_ones() -> None:
    told: list[str] = []
    shares: list[float] = []

    def tell(sentence: str, share: float) -> None:
        told.append(sentence)
        shares.append(share)

    tally = Tally(5, tell)
    slow = GitSource("https://git.example.com/skills.git", "0" * 40)
    for key in "abcd":
        tally.begin(S3Source("bucket", key, "1"))
    tally.begin(slow)
    tally.received(2048)
    assert told[-1] == "Fetching artifacts: 0 of 5, 2.0 KiB"
    for key in "abcd":
        tally.end(S3Source("bucket", key, "1"))
    assert told[-1] == (
        "Fetching artifacts: 4 of 5, 2.0 KiB, waiting for"
        f" `https://git.example.com/skills.git` at `{'0' * 12}`"
    )
    assert shares[-1] == 0.8
    tally.end(slow)
    assert told[-1] == "Fetching artifacts: 5 of 5, 2.0 KiB"
