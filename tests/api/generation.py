"""Objects made from the structural schema of a CRD: mostly valid ones, and ones with a planted fault."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Schema = dict[str, Any]

ALTERNATIVES: Final = (
    ("oci", "git", "bucket"),
    ("mcp", "agent"),
    ("value", "credentialRef"),
    ("value", "valueFrom"),
    ("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"),
    ("kagent", "codex", "claude"),
    ("python", "codex", "claude"),
    ("systemPrompt", "systemPromptFrom"),
    ("endpoint", "endpointFrom"),
    ("maxTokens", "maxCompletionTokens"),
)
"""Fields of which a valid object mostly holds one."""

PROVIDERS: Final = {
    "openAI": "OpenAI",
    "anthropic": "Anthropic",
    "azureOpenAI": "AzureOpenAI",
    "ollama": "Ollama",
    "gemini": "Gemini",
    "geminiVertexAI": "GeminiVertexAI",
    "anthropicVertexAI": "AnthropicVertexAI",
    "bedrock": "Bedrock",
    "sapAICore": "SAPAICore",
    "foundry": "Foundry",
}

_MATCHING: Final = {
    "^[^[:space:]@]+@sha256:": ["ghcr.io/acme/x@sha256:" + "1" * 64, "x:1@sha256:" + "f" * 64],
    "^https?://": ["https://example.com/x", "http://localhost:9000", "https://example.com/@scope/x"],
    "^([0-9a-fA-F]{40}": ["a" * 40, "A" * 40, "0" * 64],
    "^[^[:space:]]+$": ["s3://snapshots/x", "bucket"],
    "^([A-Za-z0-9]([-A-Za-z0-9_.]": ["", "a", "Stage-1", "x" * 63],
    "^([a-z0-9]([-a-z0-9]*": ["app", "example.com/stage"],
    "^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$": ["skills", "B.1_x"],
    "^[a-z0-9-]{0,63}$": ["eu-central-1", ""],
    "^[ -<>-~]+$": ["LOG_LEVEL", "A B", "~"],
    "^[^*?[]*$": ["runtime", "a]b"],
    "^[a-z0-9][a-z0-9-]*$": ["platform", "cluster-a-1", "9", "a-"],
}
_BREAKING: Final = [
    "",
    " ",
    "x y",
    "x\n",
    "main",
    "a" * 41,
    "ftp://example.com",
    "ghcr.io/acme/x:1",
    "x@sha256:" + "1" * 63,
    "default",
    "1Q",
    "-.5e+3",
    "Never",
    "x@sha256:" + "G" * 64,
    "https://",
    "https://user:word@example.com/x",
    "../up",
    "/root",
    "a/../b",
    "a..b",
    "null",
    "a" * 1024,
    "a" * 1025,
    "é" * 253,
    "é" * 254,
]
_WORDS: Final = ["a", "b", "reader", "x" * 8, "1", "0.5", "http://example.com", "30s", "true", "eu-central-1"]
_OTHERS: Final = [None, True, 0, -1, 1.5, 2**60, "text", "", [], {}, [None], {"name": "x"}, ["a", "a"]]


def valid_value(schema: Schema, random: Random, name: str = "") -> Any:
    """A value of `schema`; rules across fields are kept for the known alternatives only."""
    if "enum" in schema:
        return random.choice(schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return random.choice([0, 1, "1", "1Mi", "-.5e+3", "+1.k"])
    match schema.get("type"):
        case "object":
            return _valid_object(schema, random)
        case "array":
            least, most = schema.get("minItems", 0), min(schema.get("maxItems", 3), 3)
            return [valid_value(schema["items"], random) for _ in range(random.randint(least, most))]
        case "string":
            return _valid_string(schema, random, name)
        case "integer":
            return max(random.choice([0, 1, 2, 65536]), schema.get("minimum", 0))
        case "boolean":
            return random.random() < 0.5
    return random.choice([{"a": None, "b": [1, None]}, "x", 1, [None]])


def mutate(value: Any, schema: Schema, random: Random) -> None:
    """Plant one fault, or what may be one, somewhere in the object `value`."""
    places = list(_places(value, schema))
    holder, key, below = random.choice(places)
    match random.randrange(8):
        case 0:
            holder.pop(key)
        case 1 if isinstance(holder, dict):
            holder[random.choice(["namespace", "extra", "Name", key + "s"])] = random.choice(_OTHERS)
        case 2 if isinstance(holder[key], list) and holder[key]:
            holder[key].append(copy.deepcopy(random.choice(holder[key])))
        case 3:
            holder[key] = copy.deepcopy(random.choice(_OTHERS))
        case 4 if isinstance(holder[key], list) and holder[key]:
            holder[key] = [copy.deepcopy(holder[key][0]) for _ in range(below.get("maxItems", 50) + 1)]
        case 5 if isinstance(holder, dict) and below.get("type") != "object":
            holder[key] = valid_value(below, random, str(key))
        case _:
            holder[key] = random.choice([*_BREAKING, None])


def _valid_object(schema: Schema, random: Random) -> dict[str, Any]:
    if "additionalProperties" in schema:
        keys = random.sample(["a", "example.com/b", "c-d"], random.randint(0, 2))
        return {key: valid_value(schema["additionalProperties"], random) for key in keys}
    properties = schema.get("properties", {})
    chosen = {name for name in properties if random.random() < (0.9 if name == "name" else 0.4)}
    chosen |= set(schema.get("required", ()))
    for names in ALTERNATIVES:
        if all(name in properties for name in names) and random.random() < 0.95:
            chosen = (chosen - set(names)) | {random.choice(names)}
    made = {name: valid_value(properties[name], random, name) for name in sorted(chosen)}
    if PROVIDERS.keys() <= properties.keys() and random.random() < 0.9:
        _settle_provider(made, properties, random)
    return made


def _settle_provider(made: dict[str, Any], properties: Schema, random: Random) -> None:
    block = random.choice(sorted(PROVIDERS))
    for other in PROVIDERS:
        made.pop(other, None)
    made["provider"], made[block] = PROVIDERS[block], valid_value(properties[block], random)
    made.pop("apiKeyPassthrough", None)
    made["apiKeySecret"], made["apiKeySecretKey"] = "llm", "token"


def _valid_string(schema: Schema, random: Random, name: str) -> str:
    for start, samples in _MATCHING.items():
        if schema.get("pattern", "").startswith(start):
            return random.choice(samples)
    if "default" in schema and random.random() < 0.5:
        return str(schema["default"])
    if name in ("operator", "values", "key"):
        return "Exists" if name == "operator" else "a"
    most = schema.get("maxLength")
    if most is not None and random.random() < 0.2:
        return "é" * int(most)
    return random.choice(_WORDS)


def _places(value: Any, schema: Schema) -> Iterator[tuple[Any, Any, Schema]]:
    """Every entry at or below `value` as its holder, its key and its schema."""
    entries: list[tuple[Any, Any, Schema]] = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        entries = [(value, key, known.get(key, rest)) for key in value]
    elif isinstance(value, list):
        entries = [(value, index, schema.get("items", {})) for index in range(len(value))]
    for holder, key, below in entries:
        yield holder, key, below
        yield from _places(holder[key], below)
