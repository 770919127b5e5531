"""torch.monitor: statistics of windows of time, and the events that tell of them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

import retrograd as torch
from retrograd import monitor
from retrograd.monitor import Aggregation, Event, Stat

ALL = tuple(Aggregation)


@pytest.fixture
def events():
    """What is logged during a test."""
    logged: list = []
    handle = monitor.register_event_handler(logged.append)
    yield logged
    monitor.unregister_event_handler(handle)


def test_a_full_window_is_logged(events):
    stat = Stat("x", ALL, timedelta(hours=1), 3)
    for number in (2, 5.5):
        stat.add(number)
    assert stat.count == 2 and not events and set(stat.get().values()) == {0.0}
    stat.add(-1)
    [event] = events
    assert (stat.name, stat.count, event.name) == ("x", 0, "torch.monitor.Stat")
    assert event.data == {"x.mean": 6.5 / 3, "x.count": 3, "x.sum": 6.5, "x.max": 5.5, "x.min": -1}
    assert stat.get() == {Aggregation.MEAN: 6.5 / 3, Aggregation.COUNT: 3, Aggregation.SUM: 6.5,
                          Aggregation.MAX: 5.5, Aggregation.MIN: -1}       # none of VALUE


def test_a_full_window_takes_no_more(events):
    stat = Stat("x", [Aggregation.SUM], timedelta(hours=1000), 2)
    for number in range(10):
        stat.add(number)
    assert [event.data for event in events] == [{"x.sum": 1.0}] and stat.count == 0


def test_a_window_ends_with_the_first_number_of_the_next(events, monkeypatch):
    now = 1000.0
    monkeypatch.setattr(monitor.time, "time", lambda: now)
    stat = Stat("x", [Aggregation.SUM], timedelta(seconds=10))
    stat.add(1)
    stat.add(2)
    now = 1009.9
    stat.add(3)
    assert not events
    now = 1010.0
    stat.add(4)
    assert [event.data for event in events] == [{"x.sum": 6}] and stat.count == 1
    del stat                                         # what it has is logged
    assert [event.data for event in events] == [{"x.sum": 6}, {"x.sum": 4}]


def test_events_reach_all_handlers_until_they_are_taken_out(events):
    more: list = []
    handle = monitor.register_event_handler(more.append)
    event = Event("mine", datetime(2020, 1, 2), {"a": 1, "b": 2.5, "c": "text", "d": True})
    assert event.data == {"a": 1, "b": 2.5, "c": "text", "d": 1.0}
    torch.monitor.log_event(event)
    monitor.unregister_event_handler(handle)
    torch.monitor.log_event(event)
    assert events == [event, event] and more == [event]
    with pytest.raises(ValueError, match="not registered"):
        monitor.unregister_event_handler(handle)


def test_statistics_become_scalars(events):
    written = []

    class Writer:
        def add_scalar(self, name, value, walltime):
            written.append((name, value, type(walltime)))

    handle = monitor.register_event_handler(monitor.TensorboardEventHandler(Writer()))
    try:
        Stat("w", [Aggregation.MAX], timedelta(hours=1), 1).add(4)
        monitor.log_event(Event("mine", datetime(2020, 1, 2), {"a": 1}))
    finally:
        monitor.unregister_event_handler(handle)
    assert written == [("w.max", 4.0, float)] and len(events) == 2


@pytest.mark.parametrize("call", [
    lambda: Event("n", 3, {}), lambda: Event("n", datetime(2020, 1, 2), {"a": [1]}),
    lambda: monitor.log_event(3), lambda: monitor.register_event_handler(3),
    lambda: Stat("z", [3], timedelta(1)), lambda: Stat("z", Aggregation.SUM, timedelta(1)),
    lambda: Stat("z", [], timedelta(1)).add("a")])
def test_what_is_no_event_and_no_number_is_a_type_error(call):
    with pytest.raises(TypeError):
        call()


def test_a_window_takes_time():
    with pytest.raises(ValueError, match="longer than 0"):
        Stat("z", [], timedelta(0))


@pytest.mark.live
def test_aggregations_are_pytorchs(events):
    theirs = pytest.importorskip("torch.monitor")
    assert [(a.name, a.value) for a in Aggregation] == [
        (name, a.value) for name, a in theirs.Aggregation.__members__.items()]
    logged: list = []
    handle = theirs.register_event_handler(logged.append)
    try:
        for home in (monitor, theirs):
            stat = home.Stat("x", list(home.Aggregation.__members__.values()),
                             timedelta(hours=1), 2)
            for number in (1, 2, 3, 4):
                stat.add(number)
    finally:
        theirs.unregister_event_handler(handle)
    assert [event.data for event in events] == [event.data for event in logged] != []
