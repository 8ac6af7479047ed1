"""What a local process gets of its template, and what it never gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from kagent_apply.embedded.commands import Command
from kagent_apply.embedded.environment import Place, Ports, arguments, environment, loaders
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.template_reading import read_template
from tests.apply.embedded.calls import template
from tests.parts import REPOSITORY

_PLACE = Place(Path("/actors/u/data"), Path("/actors/u/scratch"), Ports(4001, 4002))
_RUN = Command(("run",))


def test_the_environment_is_the_templates_with_ports_of_its_own() -> None:
    path = next(
        (REPOSITORY / "examples/substrate-v0.4/rendered").rglob("incident-coordinator-python-runtime-1*")
    )
    sent = read_template(yaml.safe_load(path.read_text()))
    assert isinstance(sent, ateapi_pb2.ActorTemplate)
    got = environment(sent, _RUN, _PLACE, {"PATH": "/bin", "LANG": "C", "SECRET": "s", "HOME": "/root"})
    wanted = {entry.name: entry.value for entry in sent.containers[0].env}
    missing_bundle = {name for name, value in wanted.items() if value.startswith("/run/kagent/egress")}
    assert len(missing_bundle) == 6
    assert set(got) == (set(wanted) - missing_bundle) | {
        "PATH", "LANG", "HOME", "TMPDIR", "KAGENT_READYZ_PORT"
    }  # fmt: skip
    changed = {name for name in set(got) & set(wanted) if got[name] != wanted[name]}
    assert changed == {"PORT", "KAGENT_PORT", "KAGENT_A2A_GRPC_ADDRESS", "KAGENT_AGENT_CARD_JSON"}
    assert (got["PORT"], got["KAGENT_A2A_GRPC_ADDRESS"]) == ("4001", "127.0.0.1:4001")
    card, before = json.loads(got["KAGENT_AGENT_CARD_JSON"]), json.loads(wanted["KAGENT_AGENT_CARD_JSON"])
    assert card["supportedInterfaces"][0].pop("url") == "http://127.0.0.1:4001"
    assert before["supportedInterfaces"][0].pop("url") == "http://127.0.0.1:80"
    assert card == before
    assert (got["HOME"], got["OPENAI_API_KEY"]) == ("/actors/u/data", "kagent-credential-injected")


@pytest.mark.parametrize(
    ("name", "value"),
    [("PATH", "/bin"), ("LANG", "C"), ("HOME", "/actors/u/data"), ("TMPDIR", "/actors/u/scratch")],
)
def test_a_template_does_not_decide_where_programs_and_files_are(name: str, value: str) -> None:
    got = environment(template(**{name: "/evil"}), _RUN, _PLACE, {"PATH": "/bin", "LANG": "C"})
    assert got[name] == value


@pytest.mark.parametrize("card", ["", "{", "[]", "null", "1", '{"supportedInterfaces":1}', "[" * 100_000])
def test_a_card_that_cannot_be_read_stays_as_it_is(card: str) -> None:
    got = environment(template(KAGENT_AGENT_CARD_JSON=card), _RUN, _PLACE, {})
    assert got["KAGENT_AGENT_CARD_JSON"] == card


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV",
        "BASH_FUNC_ls%%", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONBREAKPOINT", "NODE_OPTIONS",
        "PERL5OPT", "PERL5LIB", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
        "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GCONV_PATH", "PROMPT_COMMAND", "PS4", "ld_preload",
        "OPENSSL_CONF", "UV_INDEX_URL", "UV_PYTHON", "PIP_INDEX_URL", "npm_config_registry",
        "NPM_CONFIG_SCRIPT_SHELL", "BUN_CONFIG_REGISTRY", "DENO_DIR", "CARGO_HOME", "GOPROXY",
        "BUNDLE_GEMFILE",
        "RUSTC_WRAPPER", "VIRTUAL_ENV", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "COR_PROFILER",
        "ERL_FLAGS", "ZDOTDIR", "LESSOPEN", "LOCPATH", "GLIBC_TUNABLES", "GIO_EXTRA_MODULES", "GTK_MODULES",
        "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "AWS_CONFIG_FILE",
        "KUBECONFIG",
        "DOCKER_CONFIG", "CLOUDSDK_CONFIG",
    ],
)  # fmt: skip
def test_a_template_does_not_decide_what_a_program_loads(name: str) -> None:
    assert loaders(template(**{name: "x"}), _RUN) == (name,)
    assert loaders(template(**{name: "x"}), Command(("run",), {name: "mine"})) == ()


@pytest.mark.parametrize(
    "name",
    [
        "KAGENT_NAME", "OPENAI_API_KEY", "PYTHONUNBUFFERED", "GIT_SSL_CAINFO", "GIT_AUTHOR_NAME",
        "ENVIRONMENT", "MODEL", "LDAP_URL", "PORT", "GITHUB_TOKEN", "JAVA_HOME",
        "AWS_CA_BUNDLE", "AWS_REGION", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
        "PIPELINE",
        "UVICORN_PORT", "COREDNS", "PATH",
    ],
)  # fmt: skip
def test_ordinary_variables_are_nothing_to_refuse(name: str) -> None:
    assert loaders(template(**{name: "x"}), _RUN) == ()


@pytest.mark.parametrize(
    ("argument", "expanded"),
    [
        ("$(PORT)", "4001"),
        ("--port=$(PORT)/$(PORT)", "--port=4001/4001"),
        ("$(OTHER)", "$(OTHER)"),
        ("$$(PORT)", "$(PORT)"),
        ("$PORT ${PORT}", "$PORT ${PORT}"),
        ("$(PORT", "$(PORT"),
    ],
)
def test_arguments_refer_to_variables_as_kubernetes_has_it(argument: str, expanded: str) -> None:
    made = template(PORT="80")
    made.containers[0].args.append(argument)
    got = arguments(made.containers[0], Command(("run", argument)), {"PORT": "4001"})
    assert got == ["run", expanded, expanded]


def test_the_commands_own_variables_come_before_the_templates() -> None:
    got = environment(template(A="theirs"), Command(("run",), {"A": "mine"}), _PLACE, {})
    assert got["A"] == "mine"
