"""Events of a profile, and sums over them. Times are in microseconds."""

from __future__ import annotations

import json
from collections import namedtuple

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


class Interval(namedtuple("Interval", ("start", "end"))):
    """A stretch of time."""

    __slots__ = ()

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


class FunctionEvent:
    """One call of an operator, of a node in backward, or of a block of record_function."""

    device_time_total = self_device_time_total = cpu_memory_usage = self_cpu_memory_usage = 0
    count = 1

    def __init__(self, id, name, thread, start_us, end_us, node_id=0, input_shapes=(), **rest):
        self.id, self.name, self.thread, self.node_id = id, name, thread, node_id
        self.input_shapes: list[list[int]] = list(input_shapes)
        self.time_range = Interval(start_us, end_us)
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.__dict__.update(rest)

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """The time between begin and end."""
        return self.time_range.elapsed_us()

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        """The time that was not spent in events inside this one."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Note that `child` ran inside this event."""
        self.cpu_children.append(child)
        child.cpu_parent = self

    def __repr__(self):
        return f"<FunctionEvent id={self.id} name={self.name} cpu_time={_time(self.cpu_time)}>"


class FunctionEventAvg:
    """The sum of the events of one name, and of one list of shapes where asked for."""

    def __init__(self):
        self.key = self.name = None
        self.input_shapes: list[list[int]] | None = None
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0
        self.device_time_total = self.self_device_time_total = 0

    @property
    def cpu_time(self) -> float:
        """The mean time of a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def add(self, other) -> FunctionEventAvg:
        """Add an event, or another sum of the same name."""
        if self.key is None:
            self.key = self.name = other.key
            self.input_shapes = other.input_shapes
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
            f"cpu_time={_time(self.cpu_time)} count={self.count}>"
        )


class EventList(list):
    """Events in the order of their ends, with sums and a table."""

    def _populate_cpu_children(self) -> None:
        """Find out which events ran inside which, thread by thread."""
        for thread in sorted({e.thread for e in self}):
            events = [e for e in self if e.thread == thread]
            events.sort(key=lambda e: (e.time_range.start, -e.time_range.end))
            around: list[FunctionEvent] = []
            for event in events:
                while around and event.time_range.end > around[-1].time_range.end:
                    around.pop()
                while around and event.time_range.start >= around[-1].time_range.end:
                    around.pop()
                if around:
                    around[-1].append_cpu_child(event)
                around.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        return sum(e.self_cpu_time_total for e in self)

    def key_averages(self, group_by_input_shape: bool = False) -> EventList:
        """One FunctionEventAvg for each name, or for each name and shapes of its arguments."""
        sums: dict[tuple[str, str], FunctionEventAvg] = {}
        for event in self:
            key = event.key, str(event.input_shapes) if group_by_input_shape else ""
            sums.setdefault(key, FunctionEventAvg()).add(event)
        return EventList(sums.values())

    def total_average(self) -> FunctionEventAvg:
        """The sum of all events."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = total.name = "Total"
        return total

    def table(self, sort_by: str | None = None, row_limit: int = 100,
              max_src_column_width: int | None = 75, max_name_column_width: int | None = 55,
              max_shapes_column_width: int | None = 80, header: str | None = None,
              top_level_events_only: bool = False) -> str:
        """A table, sorted by an attribute such as "cpu_time_total" (greatest first).

        header                 a title
        max_..._column_width   cuts names and shapes, None leaves them whole; there is no column
                               of sources
        top_level_events_only  leave out events that ran inside others
        """
        rows = [e for e in self if not (top_level_events_only and getattr(e, "cpu_parent", None))]
        if sort_by:
            rows.sort(key=lambda e: -getattr(e, sort_by))
        total = self.self_cpu_time_total or 1.0
        cells = [("Name", "Self CPU %", "Self CPU", "CPU total", "CPU time avg", "# of Calls",
                  "Input Shapes")]
        cells += [
            (
                _cut(str(e.key), max_name_column_width),
                f"{100 * e.self_cpu_time_total / total:.2f}%",
                _time(e.self_cpu_time_total),
                _time(e.cpu_time_total),
                _time(e.cpu_time),
                str(e.count),
                _cut(str(e.input_shapes or "[]"), max_shapes_column_width),
            )
            for e in rows[:row_limit]
        ]
        if not any(e.input_shapes for e in self):
            cells = [row[:-1] for row in cells]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        rule = "-" * len(lines[0])
        title = [] if header is None else ["=" * len(rule), header]
        return "\n".join([*title, rule, lines[0], rule, *lines[1:], rule]) + (
            f"\nSelf CPU time total: {_time(self.self_cpu_time_total)}\n"
        )

    __str__ = table

    def export_chrome_trace(self, path: str) -> None:
        """Write the events in the format of chrome://tracing."""
        trace = [
            {
                "name": e.name,
                "ph": "X",
                "ts": e.time_range.start,
                "dur": e.cpu_time_total,
                "tid": e.thread,
                "pid": "CPU functions",
                "args": {},
            }
            for e in self
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)


def _cut(text: str, width: int | None) -> str:
    """The text, shortened as PyTorch does it if it nearly fills the width."""
    return text if width is None or len(text) < width - 3 else text[:width - 3] + "..."


def _time(us: float) -> str:
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"
