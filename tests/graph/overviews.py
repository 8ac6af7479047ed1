"""Overviews made by hand, with names that only a hostile repository has."""

from __future__ import annotations

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.graph.overview import (
    AgentView,
    HarnessView,
    Known,
    Overview,
    PairView,
    PlatformView,
    PluginView,
    RuntimeView,
    Use,
)

MODEL = Use("ModelConfig", "aws", ("some-model", "Bedrock"), path="models.yaml")
SECRET = Use("Secret", "aws", (), ("token",), "ModelConfig/aws")
RULES = Use("ConfigMap", "texts", (), ("rules",), path="texts.yaml")
TONE = Use("ConfigMap", "texts", (), ("tone",), path="texts.yaml")
ANY = Use("ConfigMap", "texts", (), None, path="texts.yaml")
IMAGE = Use("Image", "registry.example.com/runtime:1@sha256:aa", spellings=("registry.example.com/runtime",))
GIT = "https://git.example.com/skills.git"
SKILL = Use("Artifact", f"{GIT}@abc//triage", ("triage",), spellings=(f"{GIT}@abc", GIT, "abc"))


def agent(
    path: str, *uses: Use, isolation: Isolation = Isolation.SHARED, boundary: str = "", root: str = "lead"
) -> AgentView:
    name = path.rpartition("/")[2] or root
    parent = None if not path else path.rpartition("/")[0]
    return AgentView(path, name, name, isolation, parent, boundary, f"{name}.yaml", uses)


def pair(name: str, *agents: AgentView, problem: str = "") -> PairView:
    runtimes = tuple(RuntimeView(view.path) for view in agents if view.isolation is Isolation.DEDICATED)
    harness = HarnessView("runtime", "python", "harness.yaml", (IMAGE,))
    return PairView(PairRef("team", "runtime", name), problem, harness, agents, runtimes)


ROOT = Isolation.DEDICATED
TEAM = Overview(
    (
        pair(
            "lead",
            agent("", MODEL, SECRET, RULES, isolation=ROOT),
            agent("helper", MODEL, SECRET, TONE, SKILL),
            agent("critic", isolation=ROOT, boundary="critic"),
        ),
        pair("other", agent("", ANY, isolation=ROOT, root="other"), problem="ModelConfigNotFound"),
    ),
    (
        PlatformView(
            PlatformAgentRef("ops", "keeper"),
            "",
            "keeper.yaml",
            (
                PluginView("probe", "default", "Applied", True, True, "probe.yaml", (IMAGE,)),
                PluginView("other", "default", "", False, False, "other.yaml", ()),
            ),
        ),
    ),
    "kagent-render.yaml",
    (Use("Image", "registry.example.com/pause@sha256:bb", spellings=("registry.example.com/pause",)),),
    (Known("team", "ModelConfig", "unused", "unused.yaml"),),
)

HOSTILE = (
    'a"]; end',
    "<script>alert(1)</script>",
    "#quot;&lt;",
    "\\N\\",
    "a`b`|c|{d}",
    "\x1b[31m\n\r",
    "%%{init: {}}%%",
    "漢字 é",
)


def hostile(text: str) -> Overview:
    """An overview in which every name is the same text."""
    use = Use(text, text, (text,), (text,), "", text, (text,))
    through = Use(text, f"{text}x", (), (), f"{text}/{text}")
    inner = AgentView("x", text, text, Isolation.DEDICATED, "", "x", text, (use, through))
    root = AgentView("", text, text, Isolation.DEDICATED, None, "", text, (use,))
    harness = HarnessView(text, text, text, (use,))
    runtimes = (RuntimeView("", text, (text,)), RuntimeView("x", text, (text,)))
    plugin = PluginView(text, text, text, False, True, text, (use,))
    return Overview(
        (PairView(PairRef(text, text, text), text, harness, (root, inner), runtimes),),
        (PlatformView(PlatformAgentRef(text, text), text, text, (plugin,)),),
        root=text,
        marked=frozenset({(f"{text}/{text}/{text}", "")}),
    )
