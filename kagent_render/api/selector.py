"""Label selectors, as their schema has them and as a controller can evaluate them."""

from typing import Annotated, Final

from kagent_render.api import hub
from kagent_render.api.names import (
    LABEL_KEY,
    LABEL_VALUE,
    LONGEST_LABEL_KEY,
    is_label_key,
    is_label_value,
)
from kagent_render.api.schema import Block, Check, ListAtomic, Rule

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")

Operator = Annotated[
    str,
    Check(
        "`operator` must be `In`, `NotIn`, `Exists` or `DoesNotExist`",
        holds=lambda text: text in _OPERATORS,
        hint="write one of the four operators, as spelt here",
        schema={"enum": [*_OPERATORS]},
    ),
]
LabelKey = Annotated[
    str,
    Check(
        "a label key must be a name of at most 63 characters after an optional DNS prefix",
        holds=is_label_key,
        hint="shorten or respell the key",
        schema={"maxLength": LONGEST_LABEL_KEY, "pattern": LABEL_KEY},
    ),
]
LabelValue = Annotated[
    str,
    Check(
        "a label value must have at most 63 letters, digits, `-`, `_` and `.`",
        holds=is_label_value,
        hint="write a value that a label can have, beginning and ending with a letter or digit",
        schema={"maxLength": 63, "pattern": LABEL_VALUE},
    ),
]


class LabelSelectorRequirement(Block):
    """One expression of a selector, as the schema has it."""

    key: str
    """The label's key."""
    operator: str
    """`In`, `NotIn`, `Exists` or `DoesNotExist`."""
    values: list[str] | None = None
    """The values of `In` and `NotIn`."""


class LabelSelector(Block):
    """A selector that nothing here evaluates."""

    match_labels: dict[str, str] | None = None
    """Labels that must all be there with these values."""
    match_expressions: list[LabelSelectorRequirement] | None = None
    """Expressions that must all hold."""


class AdmissionRequirement(Block):
    """One expression of a selector that can be evaluated (`metav1.LabelSelectorAsSelector`)."""

    key: LabelKey
    """The label's key."""
    operator: Operator
    """How the label relates to `values`."""
    values: Annotated[list[LabelValue], ListAtomic()] | None = None
    """What `In` and `NotIn` compare with; the other operators take none."""

    rules = (
        Rule(
            "`values` must not be empty for the operators `In` and `NotIn`",
            holds=lambda block: block.get("operator") not in ("In", "NotIn") or bool(block.get("values")),
            reads=("operator", "values"),
            field=("values",),
            hint="list the accepted values",
            cel="!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
            schema={
                "if": {"properties": {"operator": {"enum": ["In", "NotIn"]}}},
                "then": {"required": ["values"], "properties": {"values": {"minItems": 1}}},
            },
        ),
        Rule(
            "`values` must be empty for the operators `Exists` and `DoesNotExist`",
            holds=lambda block: (
                block.get("operator") not in ("Exists", "DoesNotExist") or not block.get("values")
            ),
            reads=("operator", "values"),
            field=("values",),
            hint="remove `values`",
            cel="!(self.operator in ['Exists', 'DoesNotExist'])"
            " || !has(self.values) || size(self.values) == 0",
            schema={
                "if": {"properties": {"operator": {"enum": ["Exists", "DoesNotExist"]}}},
                "then": {"properties": {"values": {"maxItems": 0}}},
            },
        ),
    )


class AdmissionSelector(Block):
    """The labels that a Harness asks of the AgentTemplates that it admits."""

    match_labels: dict[LabelKey, LabelValue] | None = None
    """Labels that must all be there with these values."""
    match_expressions: Annotated[list[AdmissionRequirement], ListAtomic()] | None = None
    """Expressions that must all hold."""

    atomic = True


class Admission(Block):
    """Which AgentTemplates a Harness admits; an empty selector admits all."""

    selector: AdmissionSelector
    """Selects AgentTemplates of the namespace by their labels; `{}` selects all."""


def hub_selector(selector: AdmissionSelector) -> hub.LabelSelector:
    """The selector as requirements, labels first, which are ANDed."""
    labels = [
        hub.LabelRequirement(key, "In", (value,)) for key, value in (selector.match_labels or {}).items()
    ]
    expressions = [
        hub.LabelRequirement(expression.key, expression.operator, tuple(expression.values or ()))
        for expression in selector.match_expressions or ()
    ]
    return hub.LabelSelector((*labels, *expressions))
