"""Tensors between processes: what is shared is seen by all, what is not is copied."""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import time

import pytest

import retrograd as torch
import retrograd.multiprocessing as mp
from retrograd import _moving, _shared, nn


def add_one(tensor, done=None):
    tensor += 1
    if done is not None:
        done.put(tensor)


def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        (model(torch.ones(4, 2)) ** 2).mean().backward()
        optimizer.step()


def run(method, target, *args):
    process = mp.get_context(method).Process(target=target, args=args)
    process.start()
    process.join()
    assert process.exitcode == 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_shared_tensors_are_seen_by_all(method):
    x = torch.zeros(3).share_memory_()
    run(method, add_one, x)
    assert x.is_shared() and x.tolist() == [1, 1, 1]


def test_what_is_not_shared_is_copied():
    x = torch.zeros(3)
    run("fork", add_one, x)
    assert not x.is_shared() and x.tolist() == [0, 0, 0]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_model_is_trained_by_several_processes(method):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).share_memory()
    before = (model(torch.ones(1, 2)) ** 2).item()
    context = mp.get_context(method)
    processes = [context.Process(target=train, args=(model, 20)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(p.is_shared() for p in model.parameters())
    assert (model(torch.ones(1, 2)) ** 2).item() < before / 10


def test_a_queue_sends_the_memory_itself():
    context = mp.get_context("fork")
    queue, x = context.SimpleQueue(), torch.zeros(2, 3).share_memory_()
    process = context.Process(target=add_one, args=(x[1], queue))
    process.start()
    got = queue.get()
    process.join()
    assert x.tolist() == [[0, 0, 0], [1, 1, 1]] and got.tolist() == [1, 1, 1]
    got += 1
    assert x[1].tolist() == [2, 2, 2]


def test_a_tensor_alone_in_its_memory_is_known(monkeypatch):
    monkeypatch.setattr(_moving, "aliases_of", None)          # which would take 0.1 s for each
    nn.Linear(2, 3).share_memory()


def test_views_move_along():
    x = torch.zeros(2, 3)
    row, flat = x[1], x.view(-1)
    flat.share_memory_()
    x += 1
    row += 1
    assert x.is_shared() and row.is_shared()
    assert flat.tolist() == [1, 1, 1, 2, 2, 2]


def test_a_storage_moves_its_tensors():
    x = torch.zeros(2)
    storage = x.untyped_storage().share_memory_()
    x += 1
    assert storage.is_shared() and x.is_shared()
    assert list(storage) == list(torch.ones(2).untyped_storage())


def test_gradients_after_sharing():
    w = torch.ones(2, requires_grad=True)
    loss = (w * w).sum()
    w.share_memory_()
    loss.backward()
    assert w.grad.tolist() == [2, 2]


def test_the_file_goes_with_the_tensor():
    x = torch.zeros(3).share_memory_()
    name = x.untyped_storage().filename
    assert os.path.exists(name)
    del x
    gc.collect()
    assert not os.path.exists(name)


@pytest.mark.parametrize("x", [torch.zeros(0), torch.tensor(1.5), torch.zeros(3).expand(2, 3),
                               torch.arange(6).view(2, 3).t(), torch.ones(2, dtype=torch.bool)])
def test_values_and_strides_stay(x):
    x = x[...]
    values, strides = x.tolist(), x.stride()
    _shared.share(x)
    assert x.tolist() == values and x.stride() == strides


def test_a_recorded_tensor_is_not_sent():
    x = torch.ones(1, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        mp.SimpleQueue().put(x)


# ---------------------------------------------------------------- spawn and start_processes
def nothing(i):
    pass


def one_fails(i, how):
    if i == 1:
        if how == "raises":
            raise ValueError("long " + "x" * 200_000)   # more than a pipe holds
        if how == "exits":
            raise SystemExit(12)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def failure(how):
    with pytest.raises(mp.ProcessException) as caught:
        mp.start_processes(one_fails, (how,), nprocs=2, start_method="fork")
    e = pickle.loads(pickle.dumps(caught.value))
    assert e.error_pid == caught.value.error_pid and e.args == caught.value.args
    text = str(e).replace(f'"{__file__}"', "")
    return type(e).__name__, e.error_index, re.sub(r'File ".*?", line \d+', "", text), [
        getattr(e, name, None) for name in ("exit_code", "signal_name")]


@pytest.mark.parametrize("how", ["raises", "exits", "is killed"])
def test_a_failed_process_ends_the_others(how, caplog):
    name, i, text, (code, killed) = failure(how)
    assert i == 1 and "Terminating process" in caplog.text
    if how == "raises":
        assert name == "ProcessRaisedException" and text.rstrip().endswith("x" * 200_000)
        assert text.startswith("\n\n-- Process 1 terminated with the following error:\nTraceback")
    elif how == "exits":
        assert (name, text, code) == (
            "ProcessExitedException", "process 1 terminated with exit code 12", 12)
    else:
        assert (name, killed, code) == ("ProcessExitedException", "SIGKILL", -signal.SIGKILL)
        assert text == "process 1 terminated with signal SIGKILL"


def ends_by_itself(i):
    if i == 0:
        raise SystemExit(3)
    time.sleep(0.2)


def test_a_grace_period_lets_the_others_end(caplog):
    context = mp.start_processes(ends_by_itself, nprocs=2, join=False, start_method="fork")
    with pytest.raises(mp.ProcessExitedException, match="exit code 3"):
        while not context.join(grace_period=30):
            pass
    assert not caplog.records and context.processes[1].exitcode == 0


def test_joining_again_returns_at_once():
    context = mp.start_processes(nothing, nprocs=2, join=False, start_method="fork")
    while not context.join():
        pass
    folder = os.path.dirname(context.error_files[0])
    assert context.join() and context.join(timeout=1) and os.path.isdir(folder)
    del context
    assert not os.path.exists(folder)


def test_spawn_warns_of_other_methods(monkeypatch):
    monkeypatch.setattr(mp, "start_processes", lambda *args, start_method: start_method)
    with pytest.warns(FutureWarning, match=r"start_method=spawn \(got: fork\)"):
        assert mp.spawn(nothing, start_method="fork") == "spawn"


def test_a_fork_server_may_start_them_together(monkeypatch):
    monkeypatch.setenv(mp.ENV_VAR_PARALLEL_START, "1")
    mp.start_processes(nothing, nprocs=2, start_method="forkserver")


def test_the_file_of_spawn_has_its_errors():
    from retrograd.multiprocessing.spawn import ProcessExitedException, start_processes

    assert ProcessExitedException is mp.ProcessExitedException
    assert start_processes is mp.start_processes is not mp.spawn
