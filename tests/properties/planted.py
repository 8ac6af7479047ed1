"""Repositories with one credential in each, at a place where people put them."""

from __future__ import annotations

import base64
import json
from typing import Any, Final

from tests.properties import manifests as make
from tests.properties.manifests import Manifest
from tests.properties.repositories import CONFIG, one_file_each, text_of

WORD: Final = "sk-Pl4ntedQ7vZ2mX9cR5tK8wB3nJ6hL1"
"""A credential by its shape; wherever a case says `WORD`, this is written."""

ENCODED: Final = base64.b64encode(WORD.encode()).decode()

Files = dict[str, str]

BASE: Final = [
    make.harness("v1alpha2", "runtime"),
    make.model("v1alpha2", "OpenAI"),
    make.template("v1alpha2", "agent", ["runtime"], systemPrompt="Do one thing."),
]


def _files(*manifests: Manifest) -> Files:
    """The base with these in place of what has their identity, or added to it."""
    found = {path: content.decode() for path, content in one_file_each([*BASE, *manifests]).items()}
    return {"kagent-render.yaml": text_of([CONFIG]).decode(), **found}


def _joined(*manifests: Manifest) -> Files:
    return {
        "kagent-render.yaml": text_of([CONFIG]).decode(),
        "all.yaml": text_of([*manifests, *BASE]).decode(),
    }


def _beside(text: str, path: str = "secret.yaml") -> Files:
    return {**_files(), path: text}


def _in_one_line(one: Manifest) -> str:
    return json.dumps(one)


def _secret(name: str = "llm", **content: Any) -> Manifest:
    return make.manifest("v1", "Secret", name, **content)


def _template(**spec: Any) -> Manifest:
    return make.template("v1alpha2", "agent", ["runtime"], **spec)


def _model(provider: str, **spec: Any) -> Manifest:
    made = make.model("v1alpha2", provider)
    for key, value in spec.items():
        made["spec"][key] = {**made["spec"].get(key, {}), **value} if isinstance(value, dict) else value
    return made


def _git(url: str) -> Manifest:
    return _template(skills=[{"name": "s", "source": {"git": {"url": url, "commit": "a" * 40}}}])


def _server(url: str, **spec: Any) -> tuple[Manifest, Manifest]:
    return (
        make.server("v1alpha2", "server", url=url, **spec),
        _template(tools=[make.mcp("server", "one")]),
    )


def _configured(**spec: Any) -> Files:
    config = {**CONFIG, "spec": {**CONFIG["spec"], **spec}}
    return {**_files(), "kagent-render.yaml": text_of([config]).decode()}


_HEAD: Final = "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: llm}\n"
_FAULTY: Final = make.template("v1alpha2", "faulty", ["nobody"], extra=1)

SECRETS: Final[dict[str, Files]] = {
    "data in another file": _files(_secret(data={"token": ENCODED})),
    "stringData in another file": _files(_secret(stringData={"token": WORD})),
    "data in the same file": _joined(_secret(data={"token": ENCODED}), _FAULTY),
    "stringData in the same file": _joined(_secret(stringData={"token": WORD}), _FAULTY),
    "an annotation of kubectl": _files(
        make.manifest("v1", "Secret", "llm", data={})
        | {
            "metadata": {
                "namespace": "team",
                "name": "llm",
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": WORD},
            }
        }
    ),
    "a List": _beside(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [_secret(stringData={"token": WORD})]})
    ),
    "data that is a list": _beside(_HEAD + "data: [WORD]"),
    "data that is text": _beside(_HEAD + "data: WORD\nstringData: WORD"),
    "a field that Secrets do not have": _beside(_HEAD + "dta: {token: WORD}"),
    "no namespace": _beside("apiVersion: v1\nkind: Secret\nmetadata: {name: llm}\nstringData: {a: WORD}"),
    "no metadata": _beside("apiVersion: v1\nkind: Secret\nstringData: {a: WORD}"),
    "metadata that is text": _beside("apiVersion: v1\nkind: Secret\nmetadata: WORD\n"),
    "a name that is a list": _beside(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: [WORD], namespace: WORD}"
    ),
    "two Secrets of one name that a model needs": {
        **_joined(_model("Bedrock"), _secret("aws", data={"AWS_ACCESS_KEY_ID": ENCODED})),
        "again.yaml": text_of([_secret("aws", stringData={"AWS_SECRET_ACCESS_KEY": WORD})]).decode(),
    },
    "a SealedSecret": _files(
        make.manifest("bitnami.com/v1alpha1", "SealedSecret", "llm", spec={"encryptedData": {"token": WORD}})
    ),
}
"""Secrets that are YAML."""

_BROKEN: Final = {
    "an unknown alias": "token: *WORD",
    "a tag": "token: !WORD x",
    "a long tag": "token: !<tag:WORD> x",
    "an anchor and nothing": "token: &WORD *x",
    "a character that may not begin": "token: @WORD",
    "a block header": "token: |WORD",
    "an escape": 'token: "\\WORD"',
    "a quote that does not end": 'token: "WORD',
    "a colon too many": "token: WORD: x",
    "a tab": "token:\n\tWORD: x",
    "two keys": "token: WORD\n  token: WORD",
    "the same key twice": "token: WORD\n  token: WORD",
    "a flow that does not end": "token: [WORD",
    "a key that is a list": "? [WORD]\n  : WORD",
    "a merge of text": "<<: WORD",
    "a date": "token: !!timestamp WORD",
    "binary": "token: !!binary WORD?",
    "an integer": "token: !!int WORD",
}

BROKEN: Final = {
    **{name: _beside(f"{_HEAD}stringData:\n  {line}\n") for name, line in _BROKEN.items()},
    **{
        f"{name}, beside a template": _beside(
            f"{text_of([_FAULTY]).decode()}---\n{_HEAD}stringData:\n  {line}\n", "all.yaml"
        )
        for name, line in _BROKEN.items()
    },
    "a directive": _beside(f"%WORD 1\n---\n{_HEAD}"),
    "a kind that is quoted oddly": _beside('apiVersion: v1\n"kind": "Sec\\u0072et"\nstringData: {a: "WORD}'),
    "no kind at all": _beside('apiVersion: v1\nstringData: {a: "WORD'),
}
"""Secrets that no YAML reader takes."""

_USER: Final = "https://someone:WORD@host.example.com/x"
_ODD: Final = "https:\\\\someone:WORD@host.example.com"

ADDRESSES: Final = {
    "git": _files(_git(_USER)),
    "git, oddly": _files(_git(_ODD)),
    "git with a token as the user": _files(_git("https://WORD@host.example.com/x")),
    "oci": _files(_template(skills=[{"name": "s", "source": {"oci": f"u:WORD@host/x@sha256:{make.ZEROS}"}}])),
    "oci without a digest": _files(_template(skills=[{"name": "s", "source": {"oci": "u:WORD@host/x"}}])),
    "S3": _files(
        _template(
            plugins=[
                {
                    "source": {
                        "bucket": {"s3": {"bucket": "b", "key": "k", "versionId": "v", "endpoint": _USER}}
                    },
                    "skills": ["s"],
                }
            ]
        )
    ),
    "MCP server": _files(*_server(_USER)),
    "MCP server, without a scheme": _files(*_server("someone:WORD@host.example.com/x")),
    "model": _files(_model("OpenAI", openAI={"baseUrl": _USER})),
    "Azure": _files(_model("AzureOpenAI", azureOpenAI={"azureEndpoint": _USER})),
    "Ollama": _files(_model("Ollama", ollama={"host": "someone:WORD@host:11434"})),
    "SAP": _files(_model("SAPAICore", sapAICore={"authUrl": _USER})),
    "Foundry": _files(_model("Foundry", foundry={"endpoint": _USER})),
    "Foundry, from a ConfigMap": _files(
        _model("Foundry"), make.manifest("v1", "ConfigMap", "texts", data={"foundry": _USER})
    ),
    "snapshot location": _files(
        make.harness("v1alpha2", "runtime")
        | {
            "spec": {
                **make.harness("v1alpha2", "runtime")["spec"],
                "substrate": {"workerPoolRef": {"name": "p"}, "snapshotPolicy": {"location": _USER}},
            }
        }
    ),
    "image": _files(
        make.harness("v1alpha2", "runtime")
        | {"spec": {"python": {}, "workload": {"image": f"u:WORD@host/x@sha256:{make.ZEROS}"}}}
    ),
    "tools": _configured(tools={"url": _USER}),
    "S3 of the configuration": _configured(artifacts={"s3": {"endpoint": _USER}}),
    "snapshots of the configuration": _configured(
        substrate={**CONFIG["spec"]["substrate"], "snapshotLocation": _USER}
    ),
    "pause image of the configuration": _configured(
        substrate={**CONFIG["spec"]["substrate"], "pauseImage": f"u:WORD@host/x@sha256:{make.ZEROS}"}
    ),
    "images of the configuration": _configured(images={"python": f"u:WORD@host/x@sha256:{make.ZEROS}"}),
    "mirror": _configured(artifacts={"oci": {"mirrors": {"ghcr.io": _USER}}}),
    "mirrored registry": _configured(artifacts={"oci": {"mirrors": {"u:WORD@ghcr.io": "x"}}}),
    "insecure registry": _configured(artifacts={"oci": {"insecure": ["u:WORD@host"]}}),
    "a field that the configuration does not have": _configured(token="WORD"),
}
"""URLs with user information; none of these may prepare."""

_QUERY: Final = "https://host.example.com/x?access_token=WORD"

QUERIES: Final = {
    "git": _files(_git(_QUERY)),
    "git in one line": {
        **_files(),
        "agent.yaml": _in_one_line(
            make.template(
                "v1alpha2",
                "agent-2",
                ["runtime"],
                skills=[{"name": "s", "source": {"git": {"url": _QUERY, "commit": "a" * 40}}}],
            )
        ),
    },
    "git without a commit": _files(
        _template(skills=[{"name": "s", "source": {"git": {"url": _QUERY, "commit": "main"}}}])
    ),
    "S3": _files(
        _template(
            plugins=[
                {
                    "source": {
                        "bucket": {"s3": {"bucket": "b", "key": "k", "versionId": "v", "endpoint": _QUERY}}
                    },
                    "skills": ["s"],
                }
            ]
        )
    ),
    "MCP server with another scheme": _files(*_server("ftp://host.example.com/x?access_token=WORD")),
    "MCP server with TLS": _files(*_server("http://host.example.com/x?access_token=WORD", tls={})),
    "model with another scheme": _files(_model("OpenAI", openAI={"baseUrl": "ftp://h/x?access_token=WORD"})),
    "tools of the configuration": _configured(tools={"url": "ftp://h/x?access_token=WORD"}),
}
"""URLs with a credential in their query, in repositories that fail."""


def _with_env(*entries: Any) -> Manifest:
    return make.harness("v1alpha2", "runtime", env=list(entries))


FAULTY_LITERALS: Final = {
    "env beside a reference": _files(
        _with_env({"name": "A", "value": "WORD", "credentialRef": {"name": "s", "key": "k"}})
    ),
    "env with a misspelt field": _files(_with_env({"name": "A", "valeu": "WORD"})),
    "env that is a list": _files(_with_env({"name": "A", "value": ["WORD"]})),
    "env twice": _files(_with_env({"name": "A", "value": "WORD"}, {"name": "A", "value": "WORD"})),
    "env with a reserved name": _files(_with_env({"name": "PORT", "value": "WORD"})),
    "env in one line with another fault": {
        **_files(),
        "harness.yaml": _in_one_line(
            make.manifest(
                "kagent.dev/v1alpha2",
                "Harness",
                "h",
                spec={"python": {}, "workload": {"image": "latest"}, "env": [{"name": "A", "value": "WORD"}]},
            )
        ),
    },
    "azureAdToken": _files(_model("AzureOpenAI", azureOpenAI={"azureAdToken": "WORD"})),
    "azureAdToken that is a list": _files(_model("AzureOpenAI", azureOpenAI={"azureAdToken": ["WORD"]})),
    "a field that models do not have": _files(_model("OpenAI", apiKey="WORD")),
    "apiKeySecretKey without a name": _files(_model("OpenAI", defaultHeaders={"A": ["WORD"]})),
    "header with two values": _files(
        *_server("https://h/x", headersFrom=[{"name": "A", "value": "WORD", "valueFrom": {}}])
    ),
    "MCPServer": _files(
        make.manifest(
            "kagent.dev/v1alpha1",
            "MCPServer",
            "server",
            spec={"deployment": {"port": 0, "env": {"TOKEN": "WORD"}}, "transportType": "http"},
        )
    ),
}
"""Literals in manifests that are not valid, or that may not be written."""

LITERALS: Final = {
    "env": _files(_with_env({"name": "API_TOKEN", "value": "WORD"})),
    "header": _files(*_server("https://h/x", headersFrom=[{"name": "Authorization", "value": "WORD"}])),
    "header of a model": _files(_model("OpenAI", defaultHeaders={"Authorization": "WORD"})),
}
"""Literals that are written to the ActorTemplate because that is what they say."""

UNREACHABLE: Final = _files(
    _template(
        plugins=[
            {
                "source": {
                    "bucket": {
                        "s3": {
                            "bucket": "b",
                            "key": "k.zip",
                            "versionId": "v",
                            "endpoint": "http://127.0.0.1:1/?token=WORD",
                        }
                    }
                },
                "skills": ["s"],
            }
        ]
    )
)
"""A plugin in an object store that nobody runs."""
