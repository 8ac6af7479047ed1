"""Which headers carry the key that each client of models finds in the environment.

Run by the environment's own Python. Reads a key as JSON and prints, by the variable that held it, every
header that ends in the key, in lower case, with what stands before it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from typing import Any

MESSAGES: Any = [{"role": "user", "content": "Hello."}]
SENT: dict[str, str] = {}
"""The headers of the last request."""


class Refusing(BaseHTTPRequestHandler):
    """Notes the headers of every request and answers none."""

    def do_POST(self) -> None:
        SENT.update(self.headers.items())
        self.send_error(400)

    def log_message(self, *_: object) -> None: ...


def call_openai(url: str) -> None:
    client = import_module("openai").OpenAI(base_url=url, max_retries=0)
    client.chat.completions.create(model="m", messages=MESSAGES)


def call_azure(url: str) -> None:
    client = import_module("openai").AzureOpenAI(azure_endpoint=url, api_version="1", max_retries=0)
    client.chat.completions.create(model="m", messages=MESSAGES)


def call_anthropic(url: str) -> None:
    client = import_module("anthropic").Anthropic(base_url=url, max_retries=0)
    client.messages.create(model="m", max_tokens=1, messages=MESSAGES)


def call_gemini(url: str) -> None:
    client = import_module("google.genai").Client(http_options={"base_url": url})
    client.models.generate_content(model="m", contents="Hello.")


def call_bedrock(_: str) -> None:
    """Have the request looked at before it is sent, since the client sends a token with TLS alone."""
    client = import_module("boto3").client("bedrock-runtime", region_name="eu-central-1")
    client.meta.events.register("before-send.bedrock-runtime.Converse", _note)
    client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "Hello."}]}])


def _note(request: Any, **_: object) -> None:
    SENT.update((name, v.decode() if isinstance(v, bytes) else v) for name, v in request.headers.items())
    raise ConnectionAbortedError


CLIENTS: Mapping[str, Callable[[str], None]] = {
    "OPENAI_API_KEY": call_openai,
    "AZURE_OPENAI_API_KEY": call_azure,
    "ANTHROPIC_API_KEY": call_anthropic,
    "GOOGLE_API_KEY": call_gemini,
    "AWS_BEARER_TOKEN_BEDROCK": call_bedrock,
}


def carried(url: str, key: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The headers that carry the key, by the variable that alone holds it."""
    for variable, call in CLIENTS.items():
        SENT.clear()
        os.environ[variable] = key
        with contextlib.suppress(Exception):  # whatever a client makes of a refusal
            call(url)
        del os.environ[variable]
        yield (
            variable,
            {name.lower(): text.removesuffix(key) for name, text in SENT.items() if text.endswith(key)},
        )


if __name__ == "__main__":
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = dict(carried(f"http://127.0.0.1:{server.server_port}", json.load(sys.stdin)))
        server.shutdown()
    json.dump(found, sys.stdout)
