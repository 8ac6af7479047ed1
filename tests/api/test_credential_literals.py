from __future__ import annotations

import random
import string

import pytest

from kagent_render.api.credential_literals import looks_like_credential
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from tests.api.manifests import decode_text, yaml_manifest


def made(prefix: str, length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A credential's shape, made here so that no scanner takes this file for a leak."""
    dice = random.Random(prefix)
    return prefix + "".join(dice.choice(alphabet) for _ in range(length))


HEX = string.hexdigits[:16]
PASSWORD = made("", 24)

CREDENTIALS = {
    "OpenAI key": ("X", made("sk-proj-", 48)),
    "Anthropic key": ("X", made("sk-ant-api03-", 80)),
    "AWS access key id": ("X", made("AKIA", 16, string.ascii_uppercase + string.digits)),
    "AWS temporary key id": ("X", made("ASIA", 16, string.ascii_uppercase + string.digits)),
    "GitHub token": ("X", made("ghp_", 36)),
    "GitHub fine-grained token": ("X", made("github_pat_", 40)),
    "GitLab token": ("X", made("glpat-", 20)),
    "Slack bot token": ("X", made("xoxb-", 30)),
    "Google API key": ("X", made("AIza", 35)),
    "Hugging Face token": ("X", made("hf_", 34)),
    "JSON web token": ("X", f"{made('eyJ', 20)}.{made('eyJ', 30)}.{made('', 40)}"),
    "private key": ("X", "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE"),
    "private key without algorithm": ("X", "-----BEGIN " + "PRIVATE KEY-----"),
    "inside other text": ("X", f"--token={made('ghp_', 36)}"),
    "password in an address": ("DATABASE", f"postgres://app:{PASSWORD}@db:5432/x"),
    "bearer header": ("Authorization", "Bearer " + made("", 32)),
    "random key": ("SERVICE_KEY", made("", 32)),
    "random hex token": ("SERVICE_TOKEN", made("", 40, HEX)),
    "random password": ("DB_PASSWORD", made("", 20)),
    "random secret": ("CLIENT_SECRET_VALUE", made("", 32)),
    "header of a key": ("X-Api-Key", made("", 32)),
    "UUID as a token": ("API_TOKEN", "550e8400-e29b-41d4-a716-446655440000"),
}

HARMLESS = {
    "random value of a plain name": ("COMMIT", made("", 40, HEX)),
    "short value": ("API_KEY", "none"),
    "placeholder": ("API_KEY", "${API_KEY}"),
    "shell reference": ("API_KEY", "$(API_KEY)"),
    "template": ("API_KEY", "{{ .Values.apiKey }}"),
    "angle brackets": ("API_KEY", "<your-api-key-goes-here-1>"),
    "path": ("TLS_KEY", "/var/run/secrets/tls/server-1.key"),
    "home path": ("SSH_KEY", "~/.ssh/id_ed25519_production"),
    "address": ("JWKS_SECRET_URL", "https://login.example.com/v2/9f86d081884c7d659a2feaa0c55ad015"),
    "address with a user alone": ("REPO", "ssh://git@github.com/acme/agents"),
    "address with a placeholder": ("DATABASE", "postgres://app:$(PASSWORD)@db/x"),
    "name of a Secret": ("SECRET_NAME", "production-database-credentials"),
    "name with numbers": ("PARTITION_KEY", "customer-2024-01-region-west-3"),
    "ARN": ("KMS_KEY", "arn:aws:kms:eu-west-1:123456789012:key/1234abcd"),
    "public key": ("SSH_KEY", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1x"),
    "public PEM": ("X", "-----BEGIN PUBLIC KEY-----"),
    "prefix alone": ("X", "sk-"),
    "word with the prefix inside": ("X", "task-management-and-risk-assessment-desk-one"),
    "sentence": ("PASSWORD_POLICY", "at least 12 characters with 1 digit"),
    "number": ("MAX_TOKEN", "131072131072131072"),
    "model": ("MODEL", "gpt-4o-mini-2024-07-18"),
    "inert placeholder": ("OPENAI_API_KEY", "kagent-credential-injected"),
}


@pytest.mark.parametrize(("name", "value"), CREDENTIALS.values(), ids=CREDENTIALS)
def test_is_taken_for_a_credential(name: str, value: str) -> None:
    assert looks_like_credential(name, value)


@pytest.mark.parametrize(("name", "value"), HARMLESS.values(), ids=HARMLESS)
def test_is_not_taken_for_a_credential(name: str, value: str) -> None:
    assert not looks_like_credential(name, value)


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("eyJ-", False),
        ("a", False),
        ("a://", False),
        ("a://b:", False),
        ("-----BEGIN A ", False),
        ("sk-", True),
    ],
)
def test_a_value_of_any_length_is_scanned(piece: str, expected: bool) -> None:
    # A scan that starts again at every character would not come back from these.
    assert looks_like_credential("NAME", piece * 1_000_000) is expected


WARNED = {
    "Harness": (
        "v1alpha2",
        f"python: {{}}\nenv:\n- name: A\n  value: {made('ghp_', 36)}",
        "spec.env[0].value",
        "credentialRef",
    ),
    "RemoteMCPServer": (
        "v1alpha3",
        f"description: d\nurl: https://h\nheadersFrom:\n- name: Authorization\n  value: Bearer {PASSWORD}",
        "spec.headersFrom[0].value",
        "valueFrom",
    ),
    "ModelConfig": (
        "v1alpha3",
        f"model: m\ndefaultHeaders:\n  X-Api-Key: {PASSWORD}",
        "spec.defaultHeaders.X-Api-Key",
        "apiKeySecret",
    ),
}


PLUGIN = "agentRef: a\nimage: i\n"
AGENT = "harness: {clusterName: c, location: l, projectId: p}\n"
TOKEN = made("ghp_", 36)
OF_PLUGINS = [
    pytest.param(
        *("AgentPlugin", f"{PLUGIN}env: [{{name: A}}, {{name: SERVICE_TOKEN, value: {PASSWORD}}}]"),
        *("spec.env[1].value", "valueFrom.secretKeyRef"),
        id="a variable of a plugin",
    ),
    pytest.param(
        *("AgentPlugin", f"{PLUGIN}config: |\n  platforms:\n    slack: {{token: {made('xoxb-', 30)}}}"),
        *("spec.config", "valueFrom.secretKeyRef"),
        id="a token in a plugin's config",
    ),
    pytest.param(
        *("AgentPlugin", f"{PLUGIN}config: |\n  {'# x' * 9000}\n  a: {TOKEN}\n  b: {TOKEN}"),
        *("spec.config", "valueFrom.secretKeyRef"),
        id="a token far down in a plugin's config",
    ),
    pytest.param(
        *("PlatformAgent", f"{AGENT}deployment: {{env: [{{name: A, value: {TOKEN}}}]}}"),
        *("spec.deployment.env[0].value", "valueFrom.secretKeyRef"),
        id="a variable of an agent",
    ),
]


@pytest.mark.parametrize(("kind", "spec", "field", "remedy"), OF_PLUGINS)
def test_a_literal_credential_of_a_plugin_or_its_agent_is_a_warning(
    kind: str, spec: str, field: str, remedy: str
) -> None:
    inventory, (warning,) = decode_text(yaml_manifest("v1alpha1", kind, spec))
    assert not inventory.broken
    assert (warning.reason, warning.severity) == (Reason.CREDENTIAL_LITERAL, Severity.WARNING)
    assert (warning.field, warning.sensitive) == (field, True)
    assert warning.hint is not None
    assert remedy in warning.hint


def test_a_random_word_of_a_plugin_s_config_is_no_credential() -> None:
    spec = f"{PLUGIN}config: |\n  platforms: {{api_token: {PASSWORD}}}"
    assert decode_text(yaml_manifest("v1alpha1", "AgentPlugin", spec))[1] == []


@pytest.mark.parametrize("kind", WARNED)
def test_a_literal_credential_is_a_warning_that_says_what_to_do(kind: str) -> None:
    version, spec, field, remedy = WARNED[kind]
    inventory, (warning,) = decode_text(yaml_manifest(version, kind, spec))
    assert not inventory.broken
    assert (warning.reason, warning.severity) == (Reason.CREDENTIAL_LITERAL, Severity.WARNING)
    assert (warning.field, warning.sensitive) == (field, True)
    assert warning.hint is not None
    assert remedy in warning.hint


def test_any_literal_directory_token_is_a_credential() -> None:
    settings = "azureOpenAI: {azureEndpoint: https://h, apiVersion: v, azureAdToken: x}"
    spec = f"model: m\nprovider: AzureOpenAI\n{settings}"
    _, (warning,) = decode_text(yaml_manifest("v1alpha3", "ModelConfig", spec))
    assert (warning.reason, warning.field) == (Reason.CREDENTIAL_LITERAL, "spec.azureOpenAI.azureAdToken")
