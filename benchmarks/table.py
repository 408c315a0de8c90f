"""Measurements for people and for programs."""

import json
from collections.abc import Iterable

from benchmarks.rounds import Measurement

HEAD = "| topic | case | ours | peer | theirs | ratio (quartiles) | goal |\n|---|---|---:|---|---:|---:|---:|"


def as_table(measurements: Iterable[Measurement]) -> str:
    """A Markdown table."""
    return "\n".join([HEAD, *map(as_row, measurements)])


def as_row(measurement: Measurement) -> str:
    """One row of it; a missed goal is marked."""
    m = measurement
    ratio = "" if m.ratio is None else f"{m.ratio:.2f}"
    if m.low is not None:
        ratio += f" ({m.low:.2f}-{m.high:.2f})"
    theirs = "" if m.theirs is None else _quantity(m.theirs, m.unit)
    goal = _goal(m) + ("" if m.met else " **missed**")
    return f"| {m.topic} | {m.case} | {_quantity(m.ours, m.unit)} | {m.peer} | {theirs} | {ratio} | {goal} |"


def as_json(measurements: Iterable[Measurement]) -> str:
    """A JSON array of objects; times in seconds."""
    return json.dumps([{**m._asdict(), "met": m.met} for m in measurements], indent=2)


def _goal(measurement: Measurement) -> str:
    if measurement.goal_seconds is not None:
        return f"<= {_duration(measurement.goal_seconds)}"
    return "" if measurement.goal is None else f"<= {measurement.goal:g}x"


def _quantity(value: float, unit: str) -> str:
    return _duration(value) if unit == "s" else f"{value:.0f} {unit}"


def _duration(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"
