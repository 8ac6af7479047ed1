"""`generate` prints what was verified, byte for byte, or nothing at all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.platform import render as render_platform
from tests.cli.team import CONFIG, LOCK, PAIR_FOLDER, edit
from tests.running import Run, run, tree
from tests.source.git_repositories import git


def generate(folder: Path, *args: str, env: dict[str, str] | None = None) -> Run:
    """Generate; whatever is printed, nothing is written."""
    before = tree(folder)
    done = run("generate", *args, cwd=folder, env=env)
    assert tree(folder) == before
    return done


def committed_manifests(folder: Path) -> list[str]:
    """The text of every ActorTemplate on disk, by the object's namespace and name."""
    paths = (folder / "rendered").glob("*/*/*/actortemplates/*.yaml")
    return [path.read_text() for path in sorted(paths, key=lambda path: (path.parts[-5], path.name))]


@pytest.fixture(scope="module")
def generated(rendered_team: Path) -> Run:
    """What the rendered root of `team` gives."""
    return generate(rendered_team)


def test_the_documents_are_the_committed_ones_byte_for_byte(generated: Run, rendered_team: Path) -> None:
    assert generated.status == 0
    assert generated.out == "---\n".join(committed_manifests(rendered_team))


def test_the_objects_are_sorted_by_identity(generated: Run) -> None:
    found = [
        (each["metadata"]["namespace"], each["metadata"]["name"])
        for each in yaml.safe_load_all(generated.out)
    ]
    assert found == sorted(set(found))
    assert len(found) > 3


def test_json_is_one_list_of_the_same_objects(rendered_team: Path, generated: Run) -> None:
    done = generate(rendered_team, "-o", "json")
    assert done.status == 0
    assert done.json == {
        "apiVersion": "v1",
        "kind": "List",
        "items": list(yaml.safe_load_all(generated.out)),
    }


def test_stderr_says_how_many_objects_there_are(generated: Run) -> None:
    assert re.search(r"✓ \d objects of 3 pairs", generated.err)


def test_retained_manifests_are_generated_with_and_without_git(committed: Path, generated: Run) -> None:
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    assert run("render", cwd=committed).status == 0
    git(committed, "add", "--all", "--force", ".")
    git(committed, "commit", "--quiet", "--message", "edit")
    with_git = generate(committed)
    assert with_git.status == 0, with_git.err
    shutil.rmtree(committed / ".git")
    without = generate(committed)
    assert (without.status, without.out) == (0, with_git.out)
    assert without.out == "---\n".join(committed_manifests(committed))
    assert len(without.out.split("\n---\n")) == len(generated.out.split("\n---\n")) + 1


ODD_GITS: dict[str, Callable[[Path], object]] = {
    "a file that leads nowhere": lambda git: git.write_text("gitdir: /nowhere/at/all\n"),
    "an empty folder": lambda git: git.mkdir(),
    "a file of something else": lambda git: git.write_bytes(b"\0\xff"),
    "a link that leads nowhere": lambda git: git.symlink_to("/nowhere"),
}


@pytest.mark.parametrize("make", ODD_GITS.values(), ids=ODD_GITS)
def test_git_metadata_is_not_asked(make: Callable[[Path], object], team: Path, generated: Run) -> None:
    make(team / ".git")
    done = generate(team)
    assert (done.status, done.out) == (0, generated.out)


def test_a_revision_can_be_generated(committed: Path, generated: Run) -> None:
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    done = run("generate", "--rev", "HEAD", cwd=committed)
    assert (done.status, done.out) == (0, generated.out)


FAULTS: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "a prompt was edited": (
        lambda root: edit(root / "lead.yaml", "You lead.", "You decide."),
        1,
        "LockStale.*`spec.systemPrompt` was edited in AgentTemplate `lead`",
    ),
    "a lock is missing": (lambda root: (root / LOCK).unlink(), 1, "LockMissing"),
    "a lock was edited": (
        lambda root: edit(root / LOCK, "  target: ate.dev/v1alpha1\n", "  target: other\n"),
        1,
        "Lock",
    ),
    "a manifest was edited": (
        lambda root: [
            path.write_text(path.read_text().replace("gvisor", "none"))
            for path in (root / PAIR_FOLDER).glob("actortemplates/*")
        ],
        1,
        "OutputDrift",
    ),
    "a kustomization lists less": (
        lambda root: (root / "rendered/kustomization.yaml").write_text("resources: []\n"),
        1,
        "OutputDrift",
    ),
    "a foreign object was added": (
        lambda root: (root / "rendered/team/extra.yaml").write_text("kind: Role\n"),
        1,
        "OutputDrift",
    ),
    "a manifest is no YAML": (
        lambda root: (root / "lead.yaml").write_text("apiVersion: kagent.dev/v1alpha2\nkind: [secret-word\n"),
        1,
        "YAMLInvalid",
    ),
    "there is no root": (lambda root: (root / "kagent-render.yaml").unlink(), 2, "ConfigInvalid"),
    "the configuration is broken": (
        lambda root: (root / "kagent-render.yaml").write_text(CONFIG + "  secret-word: 1\n"),
        2,
        "ConfigInvalid",
    ),
}


@pytest.fixture(scope="module", params=list(FAULTS.values()), ids=list(FAULTS))
def refused(
    request: pytest.FixtureRequest, rendered_team: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, int, str, Path]:
    """How a root with one fault is refused: the run, the status and text to expect, and the root."""
    spoil, status, text = request.param
    root = shutil.copytree(rendered_team, tmp_path_factory.mktemp("refused") / "team")
    spoil(root)
    return generate(root), status, text, root


def test_a_fault_prints_no_object_and_says_what_it_is(refused: tuple[Run, int, str, Path]) -> None:
    done, status, text, _ = refused
    assert done.status == status
    assert done.out == ""
    assert re.search(text, done.err), done.err


def test_stderr_quotes_no_line_of_a_file(refused: tuple[Run, int, str, Path]) -> None:
    done, _, _, root = refused
    assert "^" not in done.err
    lines = {line.strip() for path in root.glob("*.yaml") for line in path.read_text().splitlines()}
    assert not [line for line in done.err.splitlines() if line.strip().partition("| ")[2] in lines - {""}]
    assert "[secret-word" not in done.err


def test_stderr_has_no_absolute_path(refused: tuple[Run, int, str, Path]) -> None:
    done, _, _, root = refused
    assert str(root) not in done.err


def test_nothing_to_apply_is_an_error_unless_it_is_meant(tmp_path: Path) -> None:
    (tmp_path / "kagent-render.yaml").write_text(CONFIG)
    done = generate(tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "--allow-empty" in done.err
    assert (generate(tmp_path, "--allow-empty").status, generate(tmp_path, "--allow-empty").out) == (0, "")
    assert generate(tmp_path, "--allow-empty", "-o", "json").json["items"] == []


def test_platform_agents_are_verified_but_their_components_are_not_printed(mixed: Path) -> None:
    done = generate(mixed)
    assert done.status == 0
    assert {each["kind"] for each in yaml.safe_load_all(done.out)} == {"ActorTemplate"}
    edit(mixed / "stockout.yaml", "      - stockout", "      - stockouts")
    done = generate(mixed)
    assert (done.status, done.out) == (1, "")
    assert "AgentPlugin `stockout`" in done.err


def test_platform_agents_alone_give_nothing_to_apply(platform: Path) -> None:
    assert render_platform(platform).status == 0
    done = generate(platform)
    assert (done.status, done.out) == (2, "")
    assert "Components" in done.err


def test_several_roots_are_one_output_or_none(rendered_team: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(rendered_team, tmp_path / name)
        for path in (tmp_path / name).glob("*.yaml"):
            path.write_text(path.read_text().replace("namespace: team", f"namespace: {name}"))
        shutil.rmtree(tmp_path / name / "rendered")
        assert run("render", name, cwd=tmp_path).status == 0
    done = generate(tmp_path)
    assert done.status == 0, done.err
    assert done.out == generate(tmp_path, "one").out + "---\n" + generate(tmp_path, "two").out
    edit(tmp_path / "two" / "lead.yaml", "You lead.", "You decide.")
    done = generate(tmp_path)
    assert (done.status, done.out) == (1, "")
    assert "two/lead.yaml" in done.err


def test_one_object_of_two_roots_is_refused(rendered_team: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(rendered_team, tmp_path / name)
    done = generate(tmp_path)
    assert (done.status, done.out) == (1, "")
    assert re.search(r"DuplicateObject.*`one` and `two`", done.err)


def test_a_retained_manifest_cannot_add_a_document(team: Path) -> None:
    kept = next((team / PAIR_FOLDER).glob("actortemplates/lead-runtime-*.yaml"))
    edit(team / "lead.yaml", "You lead.", "You decide.")
    assert run("render", cwd=team).status == 0
    kept.write_text(f"%YAML 1.1\n---\n{kept.read_text()}...\n")
    done = generate(team)
    assert (done.status, done.out) == (1, "")
    assert f"{PAIR_FOLDER}/actortemplates/{kept.name}" in done.err


def test_modes_that_were_reset_change_nothing(incident: Path) -> None:
    expected = generate(incident).out
    for mode in (0o644, 0o755, 0o444):
        for path in incident.rglob("*"):
            if path.is_file():
                path.chmod(mode)
        done = generate(incident)
        assert (done.status, done.out) == (0, expected), done.err


def test_vendored_content_that_was_changed_is_refused_all_the_same(incident: Path) -> None:
    edit(next(incident.glob(".kagent/artifacts/*/skills/code-review/SKILL.md")), "# ", "## ")
    done = generate(incident)
    assert (done.status, done.out) == (1, "")
    assert "ArtifactDigestMismatch" in done.err


HOSTILE = {
    "ARGOCD_APP_NAME": "app\n---\nkind: Secret",
    "ARGOCD_APP_NAMESPACE": "other",
    "ARGOCD_APP_REVISION": "0" * 40,
    "ARGOCD_APP_SOURCE_PATH": "../../etc",
    "ARGOCD_APP_PARAMETERS": '[{"name": "path", "string": "/etc"}]',
    "ARGOCD_ENV_XDG_CACHE_HOME": "/etc",
    "KUBE_VERSION": "1.99",
    "KUBE_API_VERSIONS": "a,b",
    "PARAM_STRICT": "true",
    "KAGENT_RENDER_STRICT": "true",
    "TZ": "Pacific/Kiritimati",
    "LC_ALL": "tr_TR.UTF-8",
}


def test_no_variable_of_argo_cd_reaches_the_output(rendered_team: Path, generated: Run) -> None:
    done = generate(rendered_team, env=HOSTILE)
    assert (done.status, done.out) == (0, generated.out)


def parameters(*values: dict[str, object]) -> dict[str, str]:
    """Argo CD's parameters of an application, as it passes them."""
    return {"ARGOCD_APP_PARAMETERS": json.dumps(values)}


def parameter(name: str, value: object) -> dict[str, object]:
    return {"name": name, "string": value}


ACCEPTED = {
    "none are set": {},
    "Argo CD's word for none": {"ARGOCD_APP_PARAMETERS": "null"},
    "an empty list": parameters(),
    "switches that are off": parameters(parameter("strict", "false"), parameter("allow-empty", "")),
    "this folder": parameters(parameter("path", ".")),
    "empty other kinds": parameters({"name": "path", "string": ".", "array": None, "map": None}),
}


@pytest.mark.parametrize("environment", ACCEPTED.values(), ids=ACCEPTED)
def test_parameters_that_ask_for_nothing_change_nothing(
    environment: dict[str, str], rendered_team: Path, generated: Run
) -> None:
    done = generate(rendered_team, "--argocd", env=environment)
    assert (done.status, done.out) == (0, generated.out)


def test_parameters_are_what_the_flags_are(team: Path, tmp_path: Path, generated: Run) -> None:
    chosen = run("generate", "--argocd", cwd=tmp_path, env=parameters(parameter("path", "team")))
    assert (chosen.status, chosen.out) == (0, generated.out)
    strict = generate(team, "--argocd", env=parameters(parameter("strict", "true")))
    assert (strict.status, strict.out) == (generate(team, "--strict").status, generate(team, "--strict").out)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "kagent-render.yaml").write_text(CONFIG)
    allowed = parameters(parameter("path", "empty"), parameter("allow-empty", "true"))
    assert run("generate", "--argocd", cwd=tmp_path, env=allowed).status == 0


REFUSED = {
    "no JSON": {"ARGOCD_APP_PARAMETERS": "[{"},
    "very deep JSON": {"ARGOCD_APP_PARAMETERS": "[" * 50_000},
    "very long JSON": {"ARGOCD_APP_PARAMETERS": json.dumps(["x" * 70_000])},
    "no list": {"ARGOCD_APP_PARAMETERS": '{"name": "path"}'},
    "no object": {"ARGOCD_APP_PARAMETERS": '["path"]'},
    "no name": parameters({"string": "x"}),
    "a name that is no text": parameters({"name": ["path"], "string": "x"}),
    "an unknown name": parameters(parameter("paht", ".")),
    "a name twice": parameters(parameter("path", "."), parameter("path", ".")),
    "no value": parameters({"name": "path"}),
    "an array": parameters({"name": "path", "array": ["."]}),
    "a string and a map": parameters({"name": "path", "string": ".", "map": {"a": "b"}}),
    "a number": parameters(parameter("path", 1)),
    "a switch of another word": parameters(parameter("strict", "yes")),
    "an absolute folder": parameters(parameter("path", "/etc")),
    "a folder above": parameters(parameter("path", "../team")),
    "a folder above, later": parameters(parameter("path", "rendered/../../team")),
    "a folder that is none": parameters(parameter("path", "lead.yaml")),
    "a folder that is not there": parameters(parameter("path", "nowhere")),
    "a link out": parameters(parameter("path", "out")),
    "a null": parameters(parameter("path", "a\0b")),
    "half a surrogate pair": parameters(parameter("path", "\ud800")),
    "a very long folder": parameters(parameter("path", "x" * 5000)),
    "control characters": parameters(parameter("\x1b[31mred", "x")),
}


@pytest.mark.parametrize("environment", REFUSED.values(), ids=REFUSED)
def test_a_parameter_that_is_not_well_formed_is_refused(environment: dict[str, str], team: Path) -> None:
    (team / "out").symlink_to("/etc")
    done = run("generate", "--argocd", cwd=team, env=environment)
    assert (done.status, done.out) == (2, "")
    assert "\x1b" not in done.err
    assert "root:" not in done.err


def test_discovery_names_roots_and_says_nothing_without_any(team: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "charts").mkdir(parents=True)
    (team / "agents").mkdir()
    shutil.copy(team / "lead.yaml", team / "agents")
    found = {
        place: run("generate", "--discover", place, cwd=tmp_path).out.split()
        for place in (".", "team", "team/agents", "other", "other/charts")
    }
    assert found == {".": ["team"], "team": ["."], "team/agents": [".."], "other": [], "other/charts": []}


def test_discovery_never_fails_where_there_is_no_root(tmp_path: Path) -> None:
    # Argo CD takes a failure for an error of the plugin and logs it for every application that it looks at.
    assert run("generate", "--discover", cwd=tmp_path).status == 0


@pytest.mark.parametrize("name", ["kustomization.yaml", "Kustomization", "Chart.yaml"])
def test_a_folder_of_another_tool_is_left_to_it(name: str, team: Path) -> None:
    (team / "deploy").mkdir()
    (team / "deploy" / name).write_text("name: x\n")
    assert run("generate", "--discover", "deploy", cwd=team).out == ""
    (team / name).write_text("name: x\n")
    assert run("generate", "--discover", cwd=team).out == ".\n"


DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {kagent.dev/x: y}}\n"
OTHERS = {
    "a manifest": ("web.yaml", DEPLOYMENT),
    "a ConfigMap": ("texts.yml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: texts}\n"),
    "JSON": ("web.json", '{"apiVersion": "apps/v1", "kind": "Deployment"}'),
    "jsonnet": ("web.jsonnet", "{}"),
}


@pytest.mark.parametrize(("name", "text"), OTHERS.values(), ids=OTHERS)
def test_an_application_of_plain_manifests_is_left_to_argo_cd(
    name: str, text: str, team: Path, tmp_path: Path
) -> None:
    (team / "web").mkdir()
    for folder in (team / "web", tmp_path, team):
        (folder / name).write_text(text)
    found = [run("generate", "--discover", cwd=folder).out for folder in (team / "web", tmp_path, team)]
    assert found == ["", "", ".\n"]


def test_a_folder_in_a_root_is_ours_where_a_manifest_of_ours_is_below_it(team: Path) -> None:
    folder = team / "agents" / "of" / "mine"
    folder.mkdir(parents=True)
    assert run("generate", "--discover", "agents", cwd=team).out == ""
    (folder / "broken.yaml").write_text("apiVersion: kagent.dev/v1alpha2\nkind: [")
    (folder.parent / "web.yaml").write_text(DEPLOYMENT)
    assert run("generate", "--discover", "agents", cwd=team).out == "..\n"


def test_the_rendered_folder_stays_a_kustomization(team: Path) -> None:
    assert run("generate", "--discover", "rendered", cwd=team).out == ""


def test_the_announced_parameter_is_valid_and_names_roots(team: Path, tmp_path: Path) -> None:
    (announced,) = run("generate", "--parameters", cwd=tmp_path).json
    assert announced["name"] == "path"
    assert announced["collectionType"] == announced["itemType"] == "string"
    assert "roots here: team" in announced["tooltip"]
    taken = parameters(parameter(announced["name"], announced["string"]))
    assert run("generate", "--argocd", cwd=tmp_path, env=taken).status == 0
    assert team.exists()


def test_a_root_with_control_characters_in_its_name_is_announced_harmlessly(team: Path) -> None:
    odd = team.parent / "a\x1b[31m\nb"
    team.rename(odd)
    (announced,) = run("generate", "--parameters", cwd=odd.parent).json
    assert announced["tooltip"].isprintable()


EXCLUSIVE = [("--argocd", "--discover"), ("--discover", "--parameters"), ("--argocd", "--parameters")]


@pytest.mark.parametrize("flags", EXCLUSIVE)
def test_one_thing_is_asked_at_a_time(flags: tuple[str, ...], tmp_path: Path) -> None:
    assert run("generate", *flags, cwd=tmp_path).status == 2


@pytest.mark.parametrize("home", ["", "/dev/null", "/proc/nowhere", "relative"])
def test_a_home_that_cannot_be_written_is_no_fault(home: str, rendered_team: Path, generated: Run) -> None:
    done = generate(rendered_team, env={"HOME": home, "XDG_CACHE_HOME": home})
    assert (done.status, done.out) == (0, generated.out)
