"""What an actor finds in its environment, once its ActorTemplate's Secret references are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kagent_render.source.yaml import read_yaml

Secrets = Mapping[tuple[str, str], str]
"""Values by the name of their Secret and their key."""


UNKNOWN = "some-secret"
"""The value of a Secret that nobody gave one."""


def actor_environments(root: Path, secrets: Secrets) -> dict[str, dict[str, str]]:
    """The environment of each rendered boundary, by its `KAGENT_NAME`."""
    found = {}
    for path in sorted(root.glob("rendered/*/*/*/actortemplates/*.yaml")):
        (container,) = read_yaml(path.read_bytes())[0].value["spec"]["containers"]
        env = {entry["name"]: _value(entry, secrets) for entry in container["env"]}
        found[env["KAGENT_NAME"]] = env
    return found


def _value(entry: Mapping[str, Any], secrets: Secrets) -> str:
    if "valueFrom" not in entry:
        return str(entry["value"])
    reference = entry["valueFrom"]["secretKeyRef"]
    return secrets.get((reference["name"], reference["key"]), UNKNOWN)
