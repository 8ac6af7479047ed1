"""What keeps a list from being the rules of an EgressPolicy."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from kagent_render.target.template_fault import TemplateFault
from kagent_render.target.template_reading import read_rules, read_template
from tests.target.templates import ABSENT, RULES, TEMPLATE, changed


def faults(rules: Any) -> list[TemplateFault]:
    read = read_rules(rules)
    assert isinstance(read, list), "the rules were taken"
    return read


def https(host: str, *ports: int) -> dict[str, Any]:
    return {"https": {"hostnames": [host], **({"ports": {"numbers": list(ports)}} if ports else {})}}


def http(host: str, *ports: int) -> dict[str, Any]:
    return {"http": https(host, *ports)["https"]}


def every(host: str) -> dict[str, Any]:
    return {"https": {"hostnames": [host], "ports": {"all": {}}}}


def headers(count: int) -> list[dict[str, Any]]:
    return [{"header": f"h{index}", "credentialUri": "ate-secret://k8s.io/a"} for index in range(count)]


def test_rules_are_read_whole_and_written_the_same() -> None:
    read = read_rules(RULES)
    assert not isinstance(read, list)
    assert MessageToDict(read)["rules"] == RULES


def test_rules_of_a_template_are_read_by_the_same_rules() -> None:
    document = {**TEMPLATE, "defaultEgressPolicy": {"rules": [https("API.example.com")]}}
    read = read_template(document)
    assert isinstance(read, list)
    assert [fault.path for fault in read] == ["defaultEgressPolicy.rules[0].https.hostnames[0]"]


EFFECTS = "0.https.effects.replaceHeaders"
FAULTS: dict[str, tuple[str, Any, str, str]] = {
    "no list": ("", {}, "", "must be a list"),
    "null": ("", None, "", "null is no value"),
    "a rule that is none": ("0", None, "[0]", "null is no value"),
    "headers of the betas": (
        "0.https.effects",
        {"injectStaticHeaders": []},
        "[0].https.effects.injectStaticHeaders",
        "v0.2's betas",
    ),
    "all destinations of the betas": ("0", {"all": {}}, "[0].all", "v0.2's betas"),
    "networks of the betas": ("0", {"cidrs": {}}, "[0].cidrs", "v0.2's betas"),
    "no protocol": ("0", {}, "[0]", "and there is none"),
    "two protocols": ("1.https", {"hostnames": ["a.dev"]}, "[1]", "and there are 2"),
    "no host": ("0.https.hostnames", [], "[0].https.hostnames", "1 to 256"),
    "a host twice": ("0.https.hostnames", ["a.dev", "a.dev"], "[0].https.hostnames[1]", "an earlier entry"),
    "both kinds of ports": ("1.http.ports.all", {}, "[1].http.ports", "and there are 2"),
    "neither kind": ("1.http.ports", {}, "[1].http.ports", "and there is none"),
    "a port twice": ("1.http.ports.numbers", [80, 80], "[1].http.ports.numbers[1]", "an earlier entry"),
    "no port's number": ("1.http.ports.numbers", [0], "[1].http.ports.numbers[0]", "from 1 to 65535"),
    "17 ports": ("1.http.ports.numbers", [*range(1, 18)], "[1].http.ports.numbers", "17 entries"),
    "TLS without ports": ("2.tlsPassthrough.ports", ABSENT, "[2].tlsPassthrough.ports", "is required"),
    "effects on TLS": ("2.tlsPassthrough.effects", {}, "[2].tlsPassthrough.effects", "is no field"),
    "no effect": (EFFECTS, [], "[0].https.effects.replaceHeaders", "1 to 16"),
    "17 headers": (EFFECTS, headers(17), "[0].https.effects.replaceHeaders", "17 entries"),
    "a header in another case": (
        f"{EFFECTS}.1.header",
        "Authorization",
        "[0].https.effects.replaceHeaders[1].header",
        "an earlier entry",
    ),
    "a header that is two": (
        f"{EFFECTS}.0.header",
        "a: b\r\nc",
        "[0].https.effects.replaceHeaders[0].header",
        "the name of an HTTP header",
    ),
    "a credential of nothing": (
        f"{EFFECTS}.0.credentialUri",
        ABSENT,
        "[0].https.effects.replaceHeaders[0]",
        "and there is none",
    ),
    "a credential in the clear": (
        f"{EFFECTS}.0.credentialUri",
        "sk-ant-000",
        "[0].https.effects.replaceHeaders[0].credentialUri",
        "an `ate-secret://` address",
    ),
    "a token for five hours": (
        f"{EFFECTS}.1.actorJwt.expirationSeconds",
        18_000,
        "[0].https.effects.replaceHeaders[1].actorJwt.expirationSeconds",
        "from 300 to 3600",
    ),
}


@pytest.mark.parametrize(("path", "value", "where", "message"), FAULTS.values(), ids=FAULTS)
def test_what_substrate_refuses_is_one_fault_at_its_path(
    path: str, value: Any, where: str, message: str
) -> None:
    (fault,) = faults(changed(RULES, path, value))
    assert (fault.path, message in fault.message) == (where, True), fault
    assert "sk-ant-000" not in fault.message + fault.hint


@pytest.mark.parametrize("host", ["a", "a.dev", "*.a.dev", "*", "xn--bcher-kva.example", "1.a"])
def test_a_host_is_a_name(host: str) -> None:
    assert not isinstance(read_rules([https(host)]), list)


HOSTS = [
    "",
    "A.dev",
    "a.dev.",
    "a..dev",
    "*a.dev",
    "a.*.dev",
    "*.*.dev",
    "**",
    "10.0.0.1",
    "::1",
    "a.dev:443",
]


@pytest.mark.parametrize("host", [*HOSTS, "https://a.dev", "a.dev/x", "a dev", "bücher.example", "a.dev\n"])
def test_a_host_is_nothing_else(host: str) -> None:
    assert [fault.path for fault in faults([https(host)])] == ["[0].https.hostnames[0]"]


TIES = {
    "the same rule twice": [https("a.dev"), https("a.dev")],
    "one port of several": [https("a.dev", 443, 8443), https("a.dev", 8443)],
    "the port that is meant and the one that is written": [https("a.dev"), https("a.dev", 443)],
    "two protocols on one port": [http("a.dev", 8080), https("a.dev", 8080)],
    "every port twice": [every("a.dev"), every("a.dev")],
    "two patterns that are the same": [https("*.a.dev"), https("*.a.dev")],
}


@pytest.mark.parametrize("rules", TIES.values(), ids=TIES)
def test_two_rules_that_match_a_host_and_port_alike_are_told_at_the_second(rules: list[Any]) -> None:
    (fault,) = faults(rules)
    assert fault.path.startswith("[1].")
    assert fault.path.endswith(".hostnames[0]")


RANKED = {
    "two ports": [https("a.dev", 443), https("a.dev", 8443)],
    "HTTP and HTTPS on the ports that they have": [http("a.dev"), https("a.dev")],
    "one port and every port": [https("a.dev"), every("a.dev")],
    "a name and a pattern": [https("b.a.dev"), https("*.a.dev"), https("*")],
}


@pytest.mark.parametrize("rules", RANKED.values(), ids=RANKED)
def test_rules_of_which_one_is_more_specific_stand_together(rules: list[Any]) -> None:
    assert not isinstance(read_rules(rules), list)


def test_256_rules_are_taken_and_not_one_more() -> None:
    rules = [https(f"h{index}.dev") for index in range(257)]
    assert not isinstance(read_rules(rules[:256]), list)
    (fault,) = faults(rules)
    assert fault.message == "there are 257 entries, and at most 256 are allowed"
