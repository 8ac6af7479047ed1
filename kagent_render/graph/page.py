"""The page of an overview: one HTML file that asks for nothing, narrow or wide, light or dark."""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.source_identity import shortened
from kagent_render.diagnostics.text import printable
from kagent_render.graph.picture import STYLE, draw_tree
from kagent_render.graph.pictures import pair_picture, platform_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kagent_render.graph.overview import Overview, PairView, PlatformView, Use

_PAGE_STYLE: Final = (
    STYLE
    + """\
:root{color-scheme:light dark;--text:#1f2328;--muted:#57606a;--bg:#fff;--card:#fff;--edge:#d0d7de;\
--bad:#cf222e;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--muted:#9da7b1;--bg:#0d1117;--card:#0d1117;\
--edge:#30363d;--bad:#ff7b72;--good:#56d364}}
*{box-sizing:border-box}
body{margin:0;padding:16px;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,sans-serif}
main{max-width:1368px;margin:0 auto}
h1{font-size:20px;margin:0 0 4px}h2{font-size:16px;margin:32px 0 8px}
h3{font-size:14px;margin:0 0 2px;overflow-wrap:anywhere;font-family:ui-monospace,Menlo,Consolas,monospace}
p{margin:0 0 12px;color:var(--muted)}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 16px;padding:0;list-style:none;color:var(--muted)}
.legend svg{vertical-align:middle;margin-right:6px}
.cards{columns:400px;column-gap:16px}
.card{break-inside:avoid;margin:0 0 16px;padding:12px;border:1px solid var(--edge);border-radius:12px;\
background:var(--card)}
.card>p{margin-bottom:8px}
.bad{color:var(--bad)}.good{color:var(--good)}
details{margin-top:8px}summary{cursor:pointer;color:var(--muted)}
table{border-collapse:collapse;width:100%;font-size:12px;margin-top:6px}
th,td{text-align:left;vertical-align:top;padding:3px 8px 3px 0;border-top:1px solid var(--edge);\
overflow-wrap:anywhere}
th{color:var(--muted);font-weight:600}
td:first-child,th:first-child{width:34%}
.shared td:first-child,.shared th:first-child{width:50%}
@media print{.cards{columns:2}details>*{display:block}}
"""
)
_HASH: Final = base64.b64encode(hashlib.sha256(_PAGE_STYLE.encode()).digest()).decode()
_POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_LINES: Final = (
    ("kr-edge", "shares its parent's runtime"),
    ("kr-edge kr-dedicated", "has a runtime of its own (Dedicated)"),
)


def write_page(overviews: Sequence[Overview], title: str) -> str:
    """The whole page."""
    body = [
        f"<h1>{_text(title)}</h1>",
        f"<p>{_text(_counts(overviews))}</p>",
        _legend(),
        *(part for overview in overviews for part in _section(overview)),
    ]
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{_text(title)}</title>",
            f"<style>{_PAGE_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            "</main>",
            "</body>",
            "</html>",
            "",
        )
    )


def _section(overview: Overview) -> Iterator[str]:
    if overview.root:
        yield f"<h2>{_text(overview.root)}</h2>"
    yield '<div class="cards">'
    yield from (_of_pair(pair, overview) for pair in overview.pairs)
    yield from (_of_platform(view, overview) for view in overview.agents)
    yield "</div>"
    yield from _shared(overview)


def _counts(overviews: Sequence[Overview]) -> str:
    pairs = [pair for overview in overviews for pair in overview.pairs]
    agents = [view for overview in overviews for view in overview.agents]
    parts = []
    if pairs or not agents:
        nodes = _plural(sum(len(pair.agents) for pair in pairs), "agent")
        runtimes = _plural(sum(len(pair.runtimes) for pair in pairs), "runtime")
        parts.append(f"{_plural(len(pairs), 'pair')} with {nodes} in {runtimes}")
    parts += [_plural(len(agents), "platform agent")] if agents else []
    failed = sum(bool(pair.problem) for pair in pairs) + sum(bool(view.problem) for view in agents)
    return ", ".join((*parts, *([f"{failed} not prepared"] if failed else [])))


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def _legend() -> str:
    lines = "".join(
        f'<li><svg class="kr-picture" width="36" height="10" aria-hidden="true">'
        f'<path class="{kind}" d="M0 5H36"/></svg>{_text(text)}</li>'
        for kind, text in _LINES
    )
    box = '<rect class="kr-box" x="1" y="1" width="34" height="16" rx="5"/>'
    runtime = f'<svg class="kr-picture" width="36" height="18" aria-hidden="true">{box}</svg>'
    return f'<ul class="legend">{lines}<li>{runtime}one runtime</li></ul>'


def _of_pair(pair: PairView, overview: Overview) -> str:
    tree = pair_picture(pair, overview.marked)
    picture = draw_tree(tree, f"Agents of {overview.named(pair)}") if tree is not None else ""
    uses = [(agent.path or agent.name, use) for agent in pair.agents for use in agent.uses]
    uses += [(pair.harness.name, use) for use in pair.harness.uses]
    egress = [(runtime.path or "root", origin) for runtime in pair.runtimes for origin in runtime.egress]
    return _card(str(pair.pair), pair.problem, f"on {pair.harness.label}", picture, uses, egress)


def _of_platform(view: PlatformView, overview: Overview) -> str:
    tree = platform_picture(view, overview.marked)
    picture = draw_tree(tree, f"Plugins of {overview.named(view)}")
    uses = [(plugin.name, use) for plugin in view.plugins for use in plugin.uses]
    return _card(str(view.agent), view.problem, "a PlatformAgent with its plugins", picture, uses, [])


def _card(
    name: str,
    problem: str,
    about: str,
    picture: str,
    uses: Sequence[tuple[str, Use]],
    egress: Sequence[tuple[str, str]],
) -> str:
    state = (
        f'<span class="bad">✗ {_text(problem)}</span>' if problem else '<span class="good">✓ prepared</span>'
    )
    parts = ['<section class="card">', f"<h3>{_text(name)}</h3>", f"<p>{state} {_text(about)}</p>", picture]
    if uses:
        rows = ((user, _told(use)) for user, use in uses)
        parts.append(_folded(f"What it uses ({len(uses)})", ("by", "uses"), rows))
    if egress:
        parts.append(_folded(f"Where it may connect ({len(egress)})", ("runtime", "origin"), egress))
    return "\n".join((*parts, "</section>"))


def _told(use: Use) -> str:
    keys = f" [{', '.join(use.keys)}]" if use.keys else ""
    details = f" ({', '.join(use.details)})" if use.details else ""
    through = f" through {use.through}" if use.through else ""
    return f"{use.kind} {shortened(use.name)}{keys}{shortened(details)}{through}"


def _folded(summary: str, head: tuple[str, str], rows: Iterable[tuple[str, str]], kind: str = "") -> str:
    return f"<details><summary>{_text(summary)}</summary>{_table(head, rows, kind)}</details>"


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]], kind: str) -> str:
    lines = "".join(f"<tr><td>{_text(one)}</td><td>{_lines(other)}</td></tr>" for one, other in rows)
    heads = "".join(f"<th>{_text(text)}</th>" for text in head)
    chosen = f' class="{kind}"' if kind else ""
    return f"<table{chosen}><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _shared(overview: Overview) -> Iterator[str]:
    """What several pairs or agents use: what to look at before it is edited."""
    rows = {label: names for label, names in _users(overview).items() if len(names) > 1}
    if rows:
        yield "<h2>What several of them use</h2>"
        ordered = sorted(rows.items(), key=lambda row: (-len(row[1]), row[0]))
        told = (
            (f"{label} in {place}" if place else label, "\n".join(names)) for (place, label), names in ordered
        )
        yield _table(("object", "used by"), told, "shared")


def _users(overview: Overview) -> Mapping[tuple[str, str], list[str]]:
    """Who uses each object, by namespace and label."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for pair in overview.pairs:
        uses = [*pair.harness.uses, *(use for agent in pair.agents for use in agent.uses)]
        for key in dict.fromkeys((use.place(pair.pair.namespace), shortened(use.label)) for use in uses):
            found[key].append(str(pair.pair))
    for view in overview.agents:
        uses = [use for plugin in view.plugins for use in plugin.uses]
        for key in dict.fromkeys((use.place(view.agent.namespace), shortened(use.label)) for use in uses):
            found[key].append(str(view.agent))
    return found


def _lines(text: str) -> str:
    return "<br>".join(map(_text, text.split("\n")))


def _text(text: str) -> str:
    return escape(printable(text))
