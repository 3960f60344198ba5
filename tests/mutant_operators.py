"""The mutants of a module for `make mutants`: Cosmic Ray's operators, one opposite of each, and a few of our own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import parso.python.tree
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider

# One opposite of each operator: Cosmic Ray has eleven for every `+`, and one test kills them all.
BINARY = (
    "Add_Sub",
    "Sub_Add",
    "Mul_Div",
    "Div_Mul",
    "Pow_Mul",
    "FloorDiv_Mul",
    "Mod_Mul",
    "BitAnd_BitOr",
    "BitOr_BitAnd",
)
COMPARISONS = (
    "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Lt_GtE", "LtE_Gt", "Gt_LtE", "GtE_Lt", "Eq_NotEq", "NotEq_Eq",
    "Is_IsNot", "IsNot_Is",
)  # fmt: skip
OTHERS = (
    "AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "NumberReplacer",
    "ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop",
    "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Invert",
)  # fmt: skip
OPERATORS = (
    *(f"ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"ReplaceComparisonOperator_{name}" for name in COMPARISONS),
    *OTHERS,
)
# Words of NumPy and torch whose exchange leaves shapes as they are.
WORDS = (
    ("mean", "sum"), ("max", "min"), ("maximum", "minimum"), ("amax", "amin"), ("std", "var"), ("argmax", "argmin"),
    ('"left"', '"right"'), ("median", "mean"), ("any", "all"), ("sin", "cos"),
)  # fmt: skip
OTHER_WORD = {a: b for one, two in reversed(WORDS) for a, b in ((one, two), (two, one))}


class OtherWord(Operator):  # type: ignore[misc]
    """Exchanges a word for its opposite: `mean` for `sum`, the left side of a boundary for its right."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(node, parso.python.tree.Name | parso.python.tree.String) and node.value in OTHER_WORD:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        del index
        return type(node)(OTHER_WORD[node.value], node.start_pos, prefix=node.prefix)

    @classmethod
    def examples(cls) -> tuple[Any, ...]:
        return ()


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    line: int
    was: str
    now: str
    code: str


def places_of(source: str) -> list[tuple[Operator, int]]:
    """Where which operator applies: the operator and its how-manieth place. To find them is cheap, to mutate is not."""
    provider = OperatorProvider()
    nodes = list(ast_nodes(get_ast(source)))
    operators = [*(provider[name]() for name in OPERATORS), OtherWord()]
    return [
        (operator, occurrence)
        for operator in operators
        for occurrence in range(sum(1 for node in nodes for _ in operator.mutation_positions(node)))
    ]


def mutants_of(source: str, places: Iterable[tuple[Operator, int]] | None = None) -> Iterator[Mutant]:
    """Every change that the operators make and that the interpreter sees: annotations are not evaluated."""
    seen = {_meaning(source)}
    for operator, occurrence in places_of(source) if places is None else places:
        code = mutate_code(source, operator, occurrence)
        with suppress(SyntaxError):
            if (meaning := _meaning(code)) not in seen:
                seen.add(meaning)
                yield _mutant(source, code)


def _meaning(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.arguments):  # a `*` or `/` among the parameters is no operator
            node.args, node.posonlyargs, node.kwonlyargs = [*node.posonlyargs, *node.args, *node.kwonlyargs], [], []
            node.defaults, node.kw_defaults = [*node.defaults, *filter(None, node.kw_defaults)], []
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.Call):  # so does `strict` of a zip
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
        elif isinstance(node, ast.ClassDef):  # `frozen` forbids and computes nothing
            node.decorator_list = []
    return ast.dump(tree)


def _mutant(source: str, code: str) -> Mutant:
    pairs = enumerate(zip(source.splitlines(), code.splitlines(), strict=False), 1)
    line, (was, now) = next((line, pair) for line, pair in pairs if pair[0] != pair[1])
    return Mutant(line, was.strip(), now.strip(), code)
