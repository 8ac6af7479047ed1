"""A Kubernetes API server's judgement of custom resources, from the CRDs of the shared oracles folder.

    with CrdOracle() as oracle:
        verdict = oracle.validate("ate.dev_actortemplates.yaml", "v1alpha1", manifest)
    assert not verdict.refused, verdict
    verdict.defaulted["spec"]                  # nulls dropped, defaults filled in, unknown fields pruned

The whole manifest is judged, with apiVersion, kind and metadata. One process serves a whole test session:
share one oracle in a session-scoped fixture. Tests that use it carry `@pytest.mark.oracle`.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Self

from tests.parts import go_program, oracle_file

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Verdict:
    """What the server would answer to a create request with strict field validation.

    `errors` are texts `field: type: detail`; `unknown` the paths of fields that the schema does not have.
    """

    errors: tuple[str, ...]
    unknown: tuple[str, ...]
    defaulted: Mapping[str, Any]

    @property
    def refused(self) -> bool:
        """Whether the object would not be stored."""
        return bool(self.errors or self.unknown)


class CrdOracle:
    """A running `tests/oracles/crd`; also a context manager that ends it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(go_program("crd"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def validate(self, crd: str, version: str, manifest: Mapping[str, Any]) -> Verdict:
        """Judge `manifest` by the named version of the CRD in the oracle file `crd`."""
        question = {"crd": str(oracle_file(crd)), "version": version, "object": manifest}
        pipe = _open(self._process.stdin)
        pipe.write(json.dumps(question) + "\n")
        pipe.flush()
        answer = json.loads(_open(self._process.stdout).readline())
        if problem := answer.get("problem"):
            raise ValueError(problem)
        errors = tuple(f"{item['field']}: {item['type']}: {item['detail']}" for item in answer["errors"])
        return Verdict(errors, tuple(answer["unknown"]), answer["defaulted"])

    def close(self) -> None:
        """End the process."""
        _open(self._process.stdin).close()
        _open(self._process.stdout).close()
        self._process.wait(timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
