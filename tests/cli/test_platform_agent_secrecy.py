"""No line that holds a literal of a plugin is quoted, whatever is told about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.platform import CONFIG, FOLDER, KEEPER, PROBE
from tests.running import run

TOKEN = "plain-words-as-a-token"
PLACES = {
    "a config in quotes": "  config: 'platforms: {slack: {token: TOKEN}}'\n",
    "a config in a block": "  config: |\n    platforms: {slack: {token: TOKEN}}\n",
    "a variable in one line": "  env: [{name: API_TOKEN, value: TOKEN}]\n",
    "a variable in lines": "  env:\n  - value: TOKEN\n    name: API_TOKEN\n",
    "the agent's own variables": "  deployment: {podAnnotations: {a: b}, env: [{name: A, value: TOKEN}]}\n",
}


@pytest.fixture(params=list(PLACES.values()), ids=list(PLACES))
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A rendered root with the token at one place, which was then changed."""
    place: str = request.param.replace(": TOKEN", f": {TOKEN}")
    agent, probe = (KEEPER + place, PROBE) if "deployment" in place else (KEEPER, PROBE + place)
    (tmp_path / "kagent-render.yaml").write_text(CONFIG)
    (tmp_path / "lab.yaml").write_text(f"{agent}---\n{probe}")
    assert TOKEN in (tmp_path / "lab.yaml").read_text()
    run("render", "--offline", cwd=tmp_path)
    text = (tmp_path / "lab.yaml").read_text()
    (tmp_path / "lab.yaml").write_text(text.replace(TOKEN, f"{TOKEN}-2"))
    return tmp_path


@pytest.mark.parametrize("flags", [[], ["-v", "--strict"], ["-o", "json"]], ids=["text", "all", "json"])
def test_a_stale_lock_is_told_without_what_was_edited(planted: Path, flags: list[str]) -> None:
    done = run("check", "--frozen", *flags, cwd=planted)
    assert done.status == 1
    assert "LockStale" in done.out + done.err
    assert TOKEN not in done.out + done.err


def test_drift_of_a_component_is_told_without_its_lines(tmp_path: Path) -> None:
    (tmp_path / "kagent-render.yaml").write_text(CONFIG)
    (tmp_path / "lab.yaml").write_text(f"{KEEPER}---\n{PROBE}{PLACES['a variable in lines']}")
    run("render", "--offline", cwd=tmp_path)
    gateway = tmp_path / FOLDER.replace("ops", "lab").replace("platform-agent", "keeper") / "gateway.yaml"
    gateway.write_text(gateway.read_text().replace("value: TOKEN", f"value: {TOKEN}"))
    done = run("check", "--frozen", cwd=tmp_path)
    assert "OutputDrift" in done.err
    assert TOKEN not in done.err
