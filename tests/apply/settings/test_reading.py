"""Settings out of flags, environment and file: which wins, and what each fault says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kagent_apply.settings.fault import SettingsError
from kagent_apply.settings.model import Settings
from kagent_apply.settings.reading import NAMES, File, read_settings

FILE = "serve.yaml"
HELP = "`kagent-apply serve --help` lists the settings"


def needs(one: str, other: str) -> str:
    """What is said of a flag that needs another."""
    return f"`--{one}` needs `--{other}`; give `--{other}`, too"


def read(flags: dict[str, Any] | None = None, env: dict[str, str] | None = None, text: str = "") -> Settings:
    """The settings of three sources."""
    settings, _ = read_settings(flags or {}, env or {}, File(FILE, text) if text else None)
    return settings


def faults(
    flags: dict[str, Any] | None = None, env: dict[str, str] | None = None, text: str = ""
) -> list[str]:
    """All that is wrong, each as one line."""
    with pytest.raises(SettingsError) as caught:
        read(flags, env, text)
    return [f"{fault.message}; {fault.hint}" for fault in caught.value.faults]


def test_without_anything_it_serves_this_repository_to_this_machine() -> None:
    settings = read()
    assert (settings.repo, settings.ref, settings.listen) == (".", "HEAD", "127.0.0.1:8084")
    assert settings.embedded
    assert not settings.authenticated


@pytest.mark.parametrize(
    ("flags", "env", "text", "expected"),
    [
        ({}, {}, "ref: file", "file"),
        ({}, {"KAGENT_APPLY_REF": "env"}, "ref: file", "env"),
        ({"ref": "flag"}, {"KAGENT_APPLY_REF": "env"}, "ref: file", "flag"),
        ({"ref": None}, {"KAGENT_APPLY_REF": ""}, "ref: file", "file"),
        ({}, {}, "ref:", "HEAD"),
        ({}, {}, "# nothing", "HEAD"),
        ({}, {}, "ref: 1.10", "1.10"),  # a tag, not a number
    ],
)
def test_flags_win_over_the_environment_and_that_over_the_file(
    flags: dict[str, Any], env: dict[str, str], text: str, expected: str
) -> None:
    assert read(flags, env, text).ref == expected


@pytest.mark.parametrize(
    ("text", "env"),
    [
        (
            "tls-cert: a.crt\ntls-key: a.key\necho: true\npoll: 5\n"
            "oidc-issuer: https://i\noidc-audiences: [a, b]",
            {},
        ),
        (
            "",
            {
                "KAGENT_APPLY_TLS_CERT": "a.crt",
                "KAGENT_APPLY_TLS_KEY": "a.key",
                "KAGENT_APPLY_ECHO": "true",
                "KAGENT_APPLY_POLL": "5",
                "KAGENT_APPLY_OIDC_ISSUER": "https://i",
                "KAGENT_APPLY_OIDC_AUDIENCES": "a, b",
            },
        ),
    ],
    ids=["file", "environment"],
)
def test_a_setting_has_the_same_name_everywhere(text: str, env: dict[str, str]) -> None:
    settings = read({}, env, text)
    assert (settings.tls_cert, settings.echo, settings.poll) == (Path("a.crt"), True, 5)
    assert settings.oidc_audiences == ("a", "b")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"text": "lsten: x"}, "`lsten` at `serve.yaml:1` is no setting; write `listen`"),
        ({"text": "ref: a\ntls_cert: x"}, "`tls_cert` at `serve.yaml:2` is no setting; write `tls-cert`"),
        ({"text": "zzz: x"}, f"`zzz` at `serve.yaml:1` is no setting; {HELP}"),
        ({"text": "? [a]\n: x"}, f"a key at `serve.yaml:1` is no setting; {HELP}"),
        ({"text": "ref: a\nref: b"}, "`ref` is at `serve.yaml:2` for the second time; keep one of them"),
        ({"text": "- ref"}, "`serve.yaml` is no mapping of settings; write lines like `ref: main`"),
        ({"text": "a: 1\nb: [\n"}, "`serve.yaml:3` is no YAML; write a mapping of settings"),
        (
            {"text": "ref: a\nlisten: 8084"},
            "`listen` at `serve.yaml:2` is not `HOST:PORT`, such as `127.0.0.1:8084`;"
            " give where calls are taken",
        ),
        (
            {"flags": {"listen": "a:70000"}},
            "`--listen` is not `HOST:PORT`, such as `127.0.0.1:8084`; give where calls are taken",
        ),
        (
            {"env": {"KAGENT_APPLY_POLL": "often"}},
            "`KAGENT_APPLY_POLL` is not right: input should be a valid number, unable to parse string as a"
            " number; give how often the ref is read again",
        ),
        (
            {"text": "repo: {a: b}"},
            "`repo` at `serve.yaml:1` is not right: input should be a valid string; give the Git repository"
            " with the rendered revisions",
        ),
        (
            {"flags": {"substrate": "http://x"}},
            "`--substrate` is neither `embedded` nor `dns:///HOST:PORT`; give what runs actors: this process,"
            " or a Substrate",
        ),
        ({"flags": {"tls_key": "k"}}, needs("tls-key", "tls-cert")),
        ({"flags": {"tls_cert": "k"}}, needs("tls-cert", "tls-key")),
        ({"flags": {"certificates": "uri"}}, needs("certificates", "tls-client-ca")),
        ({"flags": {"kubeconfig": "f"}}, needs("kubeconfig", "cluster")),
        ({"flags": {"kube_context": "c"}}, needs("kube-context", "cluster")),
        ({"flags": {"cluster_own": "team"}}, needs("cluster-own", "cluster")),
        ({"flags": {"cluster_lease": "a/b"}}, needs("cluster-lease", "cluster")),
        ({"env": {"KAGENT_APPLY_CLUSTER_EVERYWHERE": "true"}}, needs("cluster-everywhere", "cluster")),
        (
            {"flags": {"cluster": True, "cluster_lease": "kagent"}},
            "`--cluster-lease` is not `NAMESPACE/NAME`; give the Lease whose holder writes; default:"
            " `kagent-apply` in the namespace of the Pod, else none",
        ),
        (
            {"flags": {"cluster": True, "cluster_own": "team,A b"}},
            "`--cluster-own` has what is no name of a namespace; give the namespaces in which no other"
            " repository has agents",
        ),
        ({"flags": {"oidc_issuer": "https://i"}}, needs("oidc-issuer", "oidc-audiences")),
        (
            {"flags": {"substrate_ca": "f"}},
            "`--substrate-ca` is of a Substrate that is not embedded; give `--substrate`",
        ),
        (
            {"flags": {"echo": True, "substrate": "dns:///s:443"}},
            "`--echo` is of the embedded Substrate; leave `--echo` out",
        ),
        (
            {"flags": {"echo": True, "commands": "f"}},
            "`--echo` runs none of the commands of `--commands`; leave one of them out",
        ),
    ],
)
def test_a_fault_says_where_it_came_from(given: dict[str, Any], expected: str) -> None:
    assert faults(**given) == [expected]


def test_all_faults_are_told_at_once() -> None:
    assert len(faults({"listen": "x", "poll": "0"}, {"KAGENT_APPLY_CALLS": "none"}, "nothing: 1")) == 4


@pytest.mark.parametrize("url", ["postgres://u:secret@h/d", "mysql://u:secret@h/d", "secret"])
def test_no_message_shows_the_store(url: str) -> None:
    (told,) = faults({"store": url})
    assert told.startswith("`--store` is neither `sqlite:///PATH` nor `postgresql://…`")
    assert "secret" not in told


TLS: dict[str, Any] = {"tls_cert": "c", "tls_key": "k"}
TOKENS: dict[str, Any] = {"tokens": "t"}
REMOTE: dict[str, Any] = {"substrate": "dns:///s:443"}


@pytest.mark.parametrize(
    "listen", ["127.0.0.1:1", "127.8.8.8:1", "localhost:1", "LOCALHOST:1", "[::1]:1", "127.0.0.1:0"]
)
def test_this_machine_may_be_served_without_anything(listen: str) -> None:
    assert read({"listen": listen}).listen == listen


@pytest.mark.parametrize(
    "listen", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "host:1", "localhost.example:1", "[::ffff:10.0.0.1]:1"]
)
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (
            {},
            [
                "there is no TLS",
                "nobody is asked who calls",
                "actors of the embedded Substrate are not isolated",
            ],
        ),
        ({**TLS, **REMOTE}, ["nobody is asked who calls"]),
        ({**TOKENS, **REMOTE}, ["there is no TLS"]),
        ({**TLS, **TOKENS}, ["actors of the embedded Substrate are not isolated"]),
    ],
    ids=["nothing", "no authenticator", "no TLS", "embedded"],
)
def test_beyond_this_machine_nothing_may_be_missing(
    listen: str, flags: dict[str, Any], told: list[str]
) -> None:
    found = faults({"listen": listen, **flags})
    assert [line.partition("; ")[0].rpartition(", and ")[2] for line in found] == told
    assert all(line.startswith("`--listen` is beyond this machine") for line in found)


def test_beyond_this_machine_with_all_of_it() -> None:
    assert read({"listen": "0.0.0.0:1", **TLS, **TOKENS, **REMOTE}).authenticated


@pytest.mark.parametrize(
    ("variable", "odd"),
    [
        ("KAGENT_APPLY_LISTN", True),
        ("KAGENT_APPLY_TLS_CRT", True),
        ("KAGENT_APPLY_LISTEN", False),
        ("KAGENT_APPLY_SERVER", False),
        ("KAGENT_APPLY_SERVICE_HOST", False),
        ("KAGENT_APPLY_SERVICE_PORT_GRPC", False),
        ("KAGENT_APPLY_PORT", False),
        ("KAGENT_APPLY_PORT_8084_TCP_ADDR", False),
        ("OTHER", False),
    ],
)
def test_a_variable_that_is_nearly_a_setting_is_odd(variable: str, odd: bool) -> None:
    _, told = read_settings({}, {variable: "127.0.0.1:1"}, None)
    assert bool(told) == odd


def test_no_setting_has_a_name_that_kubernetes_gives_to_variables_of_a_service() -> None:
    assert not [name for name in NAMES if name.startswith(("port", "service"))]
