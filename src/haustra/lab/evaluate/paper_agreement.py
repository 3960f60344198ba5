"""One line on how a table agrees with the paper's: order of rows, best row, distance."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from haustra.lab.evaluate.result_table import ResultTable, Value

Cells = dict[str, tuple[Value | None, ...]]
# Lengths in these tables are in arbitrary units: only the order of rows can be compared.
FREE_UNIT = ("tab:consistency", "tab:high-resolution", "tab:overall_endoslam")
# Tables whose rows are competing methods.
RANKED = ("tab:cpe_evaluation", *FREE_UNIT, "tab:evaluation")
HIGHER_IS_BETTER = ("Accuracy",)


def agreement(table: ResultTable) -> str:
    """Compares the rows that both have; empty where there are none."""
    ours, paper = (_rows(table, source) for source in ("ours", "paper"))
    shared = [name for name in paper if name in ours]
    parts = []
    if table.label in RANKED and len(shared) > 1:
        parts += [_order(shared, ours, paper), _best(table, shared, ours, paper)]
    if table.label not in FREE_UNIT and shared:
        parts.append(_distance(shared, ours, paper))
    return f"Beside the paper: {'; '.join(part for part in parts if part)}." if parts else ""


def _rows(table: ResultTable, source: str) -> Cells:
    return {row.name: row.cells for row in table.rows if row.source == source}


def _order(shared: list[str], ours: Cells, paper: Cells) -> str:
    """How many pairwise comparisons of rows within a column have the same winner."""
    alike, total = 0, 0
    for a, b in combinations(shared, 2):
        for cells in zip(ours[a], ours[b], paper[a], paper[b], strict=True):
            if any(cell is None for cell in cells):
                continue
            our_a, our_b, their_a, their_b = (cell.mean for cell in cells if cell is not None)
            if their_a != their_b:
                total += 1
                alike += (our_a < our_b) == (their_a < their_b)
    return f"{alike} of {total} pairwise comparisons of rows have the same winner" if total else ""


def _best(table: ResultTable, shared: list[str], ours: Cells, paper: Cells) -> str:
    """In which columns the best row is the same as in the paper."""
    same, other = [], []
    for k, column in enumerate(table.headings()):
        known = [name for name in shared if ours[name][k] is not None and paper[name][k] is not None]
        if len(known) < 2:
            continue
        sign = -1.0 if column in HIGHER_IS_BETTER else 1.0
        best_ours, best_paper = (min(known, key=lambda n: sign * _mean(rows[n][k])) for rows in (ours, paper))
        if _mean(paper[best_ours][k]) == _mean(paper[best_paper][k]):
            same.append(column)
        else:
            other.append(f"{column} ({best_ours}, there {best_paper})")
    return f"the best row is the paper's in {', '.join(same) or 'no column'}; not in {', '.join(other) or 'none'}"


def _mean(cell: Value | None) -> float:
    assert cell is not None
    return cell.mean


def _distance(shared: list[str], ours: Cells, paper: Cells) -> str:
    """Mean distance from the paper's figures, how many are above them, how many within its standard deviation."""
    pairs = [(a, b) for name in shared for a, b in zip(ours[name], paper[name], strict=True) if a and b]
    if not pairs:
        return ""
    far = float(np.mean([abs(a.mean - b.mean) for a, b in pairs]))
    spread = [(a, b.std) for a, b in pairs if b.std is not None]
    within = sum(abs(a.mean - b.mean) <= b.std for a, b in pairs if b.std is not None)
    inside = f", {within} of {len(spread)} within its standard deviation" if spread else ""
    above = sum(a.mean > b.mean for a, b in pairs)
    return f"figures differ by {far:.3f} on average, {above} of {len(pairs)} are higher{inside}"
