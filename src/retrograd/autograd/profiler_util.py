"""Events of a profile, and sums over them. Times are in microseconds."""

from __future__ import annotations

import json
import math
import os
from collections import namedtuple

from .._warnings import warn

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


class Interval(namedtuple("Interval", ("start", "end"))):
    """A stretch of time."""

    __slots__ = ()

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


class _Figures:
    """What events say of other devices, and times as text: cpu_time_str."""

    device_time = 0.0
    device_time_total = self_device_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    use_device, node_id = None, -1
    is_async = is_remote = is_legacy = is_user_annotation = False

    @property
    def cuda_time(self) -> float:
        """An older name of `device_time`."""
        warn("`cuda_time` is deprecated, please use `device_time` instead.", FutureWarning)
        return self.device_time


for _name in ("cpu_time", "cpu_time_total", "self_cpu_time_total", "device_time",
              "device_time_total", "self_device_time_total"):
    setattr(_Figures, f"{_name}_str",
            property(lambda event, name=_name: _time(getattr(event, name))))


class FunctionEvent(_Figures):
    """One call of an operator, of a node in backward, or of a block of record_function."""

    count, flops = 1, 0

    def __init__(self, id, name, thread, start_us, end_us, node_id=-1, input_shapes=(), **rest):
        self.id, self.name, self.thread, self.node_id = id, name, thread, node_id
        self.input_shapes: list[list[int]] = list(input_shapes)
        self.time_range = Interval(start_us, end_us)
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.stack: list[str] = []
        self.memory: int | None = None            # bytes of its result, None for a block of events
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

    @property
    def cpu_memory_usage(self) -> int:
        """The bytes that it took from the system and that its result still has."""
        if self.memory is not None:
            return self.memory
        return sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """Those that were not taken by events inside this one."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Note that `child` ran inside this event."""
        self.cpu_children.append(child)
        child.cpu_parent = self

    def __repr__(self):
        return f"<FunctionEvent id={self.id} name={self.name} cpu_time={_time(self.cpu_time)}>"


class FunctionEventAvg(_Figures):
    """The sum of the events of one name, and of one list of shapes where asked for."""

    def __init__(self):
        self.key = self.name = None
        self.input_shapes: list[list[int]] | None = None
        self.count = self.flops = 0
        self.cpu_time_total = self.self_cpu_time_total = 0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0

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
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.flops += other.flops
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
            f"cpu_time={_time(self.cpu_time)} count={self.count}>"
        )


class EventList(list):
    """Events in the order of their beginnings, with sums and a table."""

    def __init__(self, events=(), profile_memory: bool = False, with_flops: bool = False):
        super().__init__(events)
        self._profile_memory, self._with_flops = profile_memory, with_flops

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

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> EventList:
        """One FunctionEventAvg for each name, or for each name and shapes of its arguments.

        Events have no stacks by which they could differ, as in PyTorch: `with_stack` adds events.
        """
        sums: dict[tuple[str, str], FunctionEventAvg] = {}
        for event in self:
            key = event.key, str(event.input_shapes) if group_by_input_shape else ""
            sums.setdefault(key, FunctionEventAvg()).add(event)
        if not group_by_input_shape:
            for each in sums.values():
                each.input_shapes = []
        return EventList(sums.values(), self._profile_memory, self._with_flops)

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

        row_limit              -1 for all
        header                 a title
        max_..._column_width   cuts names and shapes, None leaves them whole; there is no column
                               of sources
        top_level_events_only  leave out events that ran inside others
        """
        rows = [e for e in self if not (top_level_events_only and getattr(e, "cpu_parent", None))]
        if sort_by:
            figure = sort_by.replace("cuda", "device")
            rows.sort(key=lambda e: getattr(e, figure), reverse=True)
        if row_limit >= 0:
            del rows[row_limit:]
        names = _width((str(e.key) for e in self), max_name_column_width)
        columns = [("Name", names, lambda e: _cut(str(e.key), max_name_column_width)),
                   *((title, 12, show) for title, show in self._figures())]
        if any(e.input_shapes for e in self):
            shapes = _width((str(e.input_shapes) for e in self), max_shapes_column_width)
            columns.append(("Input Shapes", shapes,
                            lambda e: _cut(str(e.input_shapes or "[]"), max_shapes_column_width)))
        if self._with_flops:
            unit, scale = _unit([e.flops for e in self if e.flops])
            columns.append((f"Total {unit}", 12,
                            lambda e: f"{e.flops / scale:.3f}" if e.flops else "--"))

        def line(words):
            return "".join(w.rjust(width) + "  " for w, (_, width, _) in zip(
                words, columns, strict=True))
        rule = line("-" * width for _, width, _ in columns)
        wide = "=" * (len(rule) - 2)
        lines = [] if header is None else [wide, header]
        if top_level_events_only:
            lines += [wide, "This report only display top-level ops statistics"]
        lines += [rule, line(title for title, _, _ in columns), rule]
        lines += [line(show(e) for _, _, show in columns) for e in rows]
        return "\n".join([*lines, rule]) + (
            f"\nSelf CPU time total: {_time(self.self_cpu_time_total)}\n"
        )

    def _figures(self):
        """The title of each column of numbers, and what it shows of an event."""
        total = self.self_cpu_time_total
        yield "Self CPU %", lambda e: _share(e.self_cpu_time_total, total)
        yield "Self CPU", lambda e: _time(e.self_cpu_time_total)
        yield "CPU total %", lambda e: _share(e.cpu_time_total, total)
        yield "CPU total", lambda e: _time(e.cpu_time_total)
        yield "CPU time avg", lambda e: _time(e.cpu_time)
        if self._profile_memory:
            yield "CPU Mem", lambda e: _memory(e.cpu_memory_usage)
            yield "Self CPU Mem", lambda e: _memory(e.self_cpu_memory_usage)
        yield "# of Calls", lambda e: str(e.count)

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

    def export_trace_file(self, path: str) -> None:
        """Write the file of a whole profile, whose `"traceEvents"` are these events.

        `EventList.export_chrome_trace` writes the bare list, as it does in PyTorch.
        """
        process = os.getpid()
        events = [
            {
                "ph": "X",
                "cat": "user_annotation" if e.is_user_annotation else "cpu_op",
                "name": e.name,
                "pid": process,
                "tid": e.thread,
                "ts": e.time_range.start,
                "dur": e.cpu_time_total,
                "args": {"Input Dims": e.input_shapes} if e.input_shapes else {},
            }
            for e in self
        ]
        named = {"ph": "M", "name": "process_name", "ts": 0, "pid": process, "tid": 0,
                 "args": {"name": "python"}}
        file = {"schemaVersion": 1, "deviceProperties": [], "displayTimeUnit": "ms",
                "baseTimeNanoseconds": 0, "traceName": path, "traceEvents": [named, *events]}
        with open(path, "w", encoding="utf-8") as out:
            json.dump(file, out)


def _cut(text: str, width: int | None) -> str:
    """The text, shortened as PyTorch does it if it nearly fills the width."""
    return text if width is None or len(text) < width - 3 else text[:width - 3] + "..."


def _width(words, most: int | None) -> int:
    """The width of a column of these words."""
    width = max(map(len, words), default=0) + 4
    return width if most is None else min(width, most)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def _unit(counts: list[int]) -> tuple[str, int]:
    """The unit in which the least count of operations is at least one, and what it stands for."""
    power = max(0, min(int(math.log10(min(counts)) / 3), 4)) if counts else 0
    return ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs")[power], 1000**power


def _memory(count: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


def _time(us: float) -> str:
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"
