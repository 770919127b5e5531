"""The profiler: which operators ran, how often, and inside what."""

import json

import pytest

import retrograd as torch
from retrograd.autograd.profiler import composites, profile, record_function
from retrograd.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from retrograd.utils.flop_counter import FlopCounterMode


def event(id, thread, start, end, name="op"):
    return FunctionEvent(id=id, node_id=0, name=name, thread=thread, start_us=start, end_us=end)


def test_operators_and_nodes_are_counted():
    x = torch.ones(3, requires_grad=True)
    with profile() as prof:
        for _ in range(2):
            (x * x).exp().sum().backward()
    counts = {e.key: e.count for e in prof.key_averages()}
    assert counts["aten::mul"] == counts["aten::exp"] == 2
    assert counts["MulBackward0"] == counts["ExpBackward0"] == 2
    assert prof.self_cpu_time_total > 0
    assert "aten::mul" in prof.table(sort_by="cpu_time_total")


def test_operators_are_seen_where_one_call_would_do():
    x, y = torch.ones(2, 3, 4, 5), torch.ones(2, 3, 5, 4)
    with profile() as prof:
        x @ y
        x[0, 1:]
    assert {"aten::expand", "aten::bmm", "aten::select"} <= {e.key for e in prof.key_averages()}
    with FlopCounterMode(display=False) as counter:
        x @ y
    assert counter.get_total_flops() == 2 * 6 * 4 * 5 * 4


def test_composite_functions_stand_above_their_operators():
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
                              torch.nn.Linear(2, 3), torch.nn.Dropout())
    line, seen = torch.nn.Conv1d(1, 1, 1), {}
    with profile() as prof:
        torch.nn.functional.cross_entropy(net(torch.ones(1, 1, 4, 4)), torch.tensor([0]))
        line(torch.ones(1, 1, 2))
    for e in prof.function_events:
        seen.setdefault(e.name, {child.name for child in e.cpu_children})
    assert seen["aten::linear"] == {"aten::t", "aten::addmm"}           # as PyTorch has them
    assert "aten::convolution" in seen["aten::conv2d"] & seen["aten::conv1d"]
    assert {"aten::max_pool2d", "aten::flatten", "aten::dropout",
            "aten::cross_entropy_loss"} <= seen.keys()


def test_composite_functions_are_told_apart_behind_a_common_wrapper():
    class Seen(torch.Tensor):
        pass

    torch.ones(2).as_subclass(Seen).sum()          # now every function's own code is another's
    composites.cache_clear()
    with profile() as prof:
        torch.ones(2).amax(0)
        torch.ones(2) * 2
        torch.ones(2).softmax(0)
    names = {e.name for e in prof.function_events}
    assert {name for name in names if "soft" in name} == {"aten::softmax", "aten::_softmax"}
    assert not names & {"aten::cross_entropy_loss", "aten::linear", "aten::matmul"}


def test_nothing_is_counted_outside():
    with profile() as prof:
        pass
    torch.ones(3).exp()
    assert list(prof.function_events) == []
    with profile(enabled=False) as prof:
        torch.ones(3).exp()
    assert prof.function_events is None


def test_named_blocks_hold_what_runs_inside():
    @record_function("outer")
    def work():
        with record_function("inner"):
            return torch.ones(3).exp()

    with profile() as prof:
        work()
    events = {e.name: e for e in prof.function_events}
    assert events["inner"].cpu_parent is events["outer"]
    assert events["aten::exp"] in events["inner"].cpu_children
    assert events["outer"].cpu_time_total >= events["inner"].cpu_time_total


def test_children_by_thread():
    events = EventList(
        [
            event(1, 1, 0, 1),
            event(2, 1, 1, 2),
            event(3, 0, 0, 2),
            event(4, 0, 1, 2),
            event(5, 0, 1, 3),
        ]
    )
    events._populate_cpu_children()
    assert [[c.id for c in e.cpu_children] for e in events] == [[], [], [], [], [4]]


def test_events_of_one_name_add_up():
    total = FunctionEventAvg()
    total.add(event(0, 0, 10, 15, "foo")).add(event(1, 0, 20, 30, "foo"))
    total.add(total)
    assert (total.key, total.count, total.cpu_time_total, total.cpu_time) == ("foo", 4, 30, 7.5)


def test_chrome_trace(tmp_path):
    with profile(record_shapes=True) as prof, record_function("block"):
        torch.ones(3).exp()
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(str(path))
    trace = json.loads(path.read_text())
    found = {e["name"]: e for e in trace["traceEvents"] if e["ph"] == "X"}
    assert (trace["schemaVersion"], trace["traceName"]) == (1, str(path))
    assert found["aten::exp"]["cat"] == "cpu_op" and found["aten::exp"]["dur"] > 0
    assert found["aten::exp"]["args"]["Input Dims"] == [[3]]
    assert found["block"]["cat"] == "user_annotation"


def test_a_list_of_events_writes_a_bare_list(tmp_path):
    with profile() as prof:
        torch.ones(3).exp()
    path = tmp_path / "trace.json"
    prof.function_events.export_chrome_trace(str(path))
    assert "aten::exp" in [e["name"] for e in json.loads(path.read_text())]


def test_unsupported_options_say_so():
    with pytest.raises(NotImplementedError, match="use_device"):
        profile(use_device="cuda")
    with pytest.raises(TypeError, match="unexpected keyword"):
        profile(nonsense=True)


def test_names_of_the_older_profiler():
    from retrograd.autograd import profiler, profiler_legacy

    assert profiler_legacy.profile is profiler.profile
    assert torch.autograd.DeviceType.CPU.value == 0
    for name in ("ProfilerConfig", "ProfilerEvent"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(torch.autograd, name)()


def test_variable_is_a_function_too():
    from retrograd.autograd.variable import Variable

    with pytest.raises(RuntimeError, match="use torch.tensor"):
        torch.autograd.variable(1)
    assert isinstance(torch.ones(1), Variable)


def test_shapes_of_arguments():
    with torch.profiler.profile(record_shapes=True) as prof:
        for n in (2, 2, 3):
            torch.nn.functional.linear(torch.ones(n, 4), torch.ones(5, 4), torch.ones(5))
    sums = prof.key_averages(group_by_input_shape=True)
    found = {str(e.input_shapes): e.count for e in sums if e.key == "aten::addmm"}
    assert found == {"[[5], [2, 4], [4, 5], [], []]": 2, "[[5], [3, 4], [4, 5], [], []]": 1}
    assert "[[5, 4]]" in sums.table() and "[[5, 4]]" in prof.events().table()
    assert "Shapes" not in prof.key_averages().table() and len(prof.key_averages()) == 3
    with profile() as prof:
        torch.ones(3).exp()
    assert prof.function_events[0].input_shapes == [] and "Shapes" not in prof.table()


def test_profiles_take_the_switch_of_another_recorder():
    with torch.autograd.profiler.profile(use_kineto=True) as profile:
        torch.ones(2).exp()
    assert any(event.name == "aten::exp" for event in profile.function_events)


def test_tables_have_titles_and_widths():
    with profile(record_shapes=True) as p:
        with record_function("a block with a long name"):
            torch.ones(2) + 1
    table = p.table(header="all events", max_name_column_width=12)
    assert table.splitlines()[1] == "all events" and "a block w...  " in table
    top = p.table(top_level_events_only=True, max_name_column_width=None)
    assert "a block with a long name" in top and "aten::add" in table and "aten::add" not in top
    averages = p.key_averages(True).table(header="sums", max_shapes_column_width=5)
    assert averages.splitlines()[1] == "sums" and "[[..." in averages


def test_a_table_is_laid_out_as_pytorchs():
    long = 12.5e6
    events = EventList([event(0, 0, 0, long, "aten::uniform_"), event(1, 0, 0, 500, "aten::mm")],
                       profile_memory=True, with_flops=True)
    events[0].memory, events[1].memory, events[1].flops = 5000, -400, 4_000_000
    events._populate_cpu_children()
    rule = "------------------  " + "------------  " * 9
    assert events.table(row_limit=-1).splitlines() == [
        rule,
        "              Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg"
        "       CPU Mem  Self CPU Mem    # of Calls  Total MFLOPs  ",
        rule,
        "    aten::uniform_       100.00%       12.499s       100.00%       12.500s       12.500s"
        "       4.88 KB       5.27 KB             1            --  ",
        "          aten::mm         0.00%     500.000us         0.00%     500.000us     500.000us"
        "        -400 B        -400 B             1         4.000  ",
        rule,
        "Self CPU time total: 12.500s"]
    top = events.table(top_level_events_only=True, row_limit=0).splitlines()
    assert top[:2] == ["=" * (len(rule) - 2), "This report only display top-level ops statistics"]


def test_memory_is_that_of_new_results():
    x = torch.ones(10, 10, requires_grad=True)
    with torch.profiler.profile(profile_memory=True) as prof:
        with record_function("block"):
            y = (x @ x.detach()).t()
            y.sum().backward()
        torch.ones(3).add_(1)
    found = {e.key: (e.cpu_memory_usage, e.self_cpu_memory_usage) for e in prof.key_averages()}
    assert found["aten::mm"] == found["MmBackward0"] == (400, 400)
    assert found["aten::t"] == found["aten::add_"] == (0, 0) and found["aten::sum"] == (4, 4)
    assert found["block"] == (804, 0)
    first = prof.key_averages().table(sort_by="self_cpu_memory_usage").splitlines()[3]
    assert "400 B" in first


def test_operations_are_counted_where_they_are_known():
    x, image, weight = torch.ones(10, 10), torch.ones(1, 2, 5, 5), torch.ones(3, 2, 2, 2)
    with torch.profiler.profile(with_flops=True) as prof:
        x @ x
        torch.addmm(x, x, x)
        x[None] @ x[None]
        x + x * x
        x.exp()
        torch.nn.functional.conv2d(image, weight)
    assert {e.key: e.flops for e in prof.key_averages() if e.flops} == {
        "aten::mm": 2000, "aten::addmm": 2000, "aten::bmm": 2000, "aten::add": 100,
        "aten::mul": 100, "aten::convolution": 768}


def test_functions_of_the_program_and_the_order_of_events():
    def work(x):
        return (x + 1).exp()

    with torch.profiler.profile(with_stack=True, with_modules=True) as prof:
        work(torch.ones(2))
    line = work.__code__.co_firstlineno
    names = [e.name for e in prof.events()]
    assert names[0].endswith(f"test_profiler.py({line}): work")
    assert names[1:] == ["aten::add", "aten::exp"]
    assert prof.events()[1].cpu_parent is prof.events()[0]
    assert len(prof.key_averages(group_by_stack_n=2)) == 3


def test_tables_sorted_by_what_other_devices_would_show():
    with torch.profiler.profile() as prof:
        (torch.ones(2) + 1).exp()
    sums = prof.key_averages()
    for figure in ("cuda_time_total", "self_device_time_total", "cuda_memory_usage"):
        assert [line.split()[0] for line in sums.table(sort_by=figure).splitlines()[3:5]] == [
            "aten::add", "aten::exp"]
    assert sums.table(sort_by="key").splitlines()[3].split()[0] == "aten::exp"
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        sums.table(sort_by="foo")
    for event in (sums[0], prof.events()[0]):
        assert event.cpu_time_total_str.endswith("us") and event.device_time_str == "0.000us"
        assert (event.device_memory_usage, event.use_device, event.is_async) == (0, None, False)
        with pytest.warns(FutureWarning, match="please use `device_time`"):
            assert event.cuda_time == 0
