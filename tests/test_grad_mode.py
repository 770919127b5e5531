"""Grad modes as context managers and as decorators of functions, generators and classes."""

import asyncio
import sys
import threading

import pytest

import retrograd as torch
from retrograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from retrograd._state import features, set_recording, state
from retrograd.autograd.forward_ad import open_levels
from retrograd.ops.batching import levels


@pytest.fixture(autouse=True)
def modes_are_left_as_found():
    paused = dict(features.paused)
    yield
    assert is_grad_enabled()
    assert not is_inference_mode_enabled()
    assert features.paused == paused


def test_nested_blocks_restore_the_mode_they_found():
    with no_grad():
        assert not is_grad_enabled()
        with enable_grad():
            assert is_grad_enabled()
            with set_grad_enabled(False):
                assert not is_grad_enabled()
            assert is_grad_enabled()
        assert not is_grad_enabled()


def test_mode_is_restored_after_an_exception():
    with pytest.raises(ZeroDivisionError), no_grad():
        1 / 0  # noqa: B018
    assert is_grad_enabled()


def test_set_grad_enabled_acts_at_once():
    set_grad_enabled(False)
    try:
        assert not is_grad_enabled()
    finally:
        set_grad_enabled(True)


def test_set_grad_enabled_as_decorator_leaves_the_mode_alone():
    @set_grad_enabled(False)
    def inside():
        return is_grad_enabled()

    assert is_grad_enabled()
    assert inside() is False


@pytest.mark.parametrize("value", [1, None, "no", 1.0])
def test_set_grad_enabled_wants_a_bool(value):
    message = r"set_grad_enabled\(\): argument 'enabled' \(position 1\) must be bool, not "
    with pytest.raises(TypeError, match=message + type(value).__name__):
        set_grad_enabled(value)


def test_forgotten_parentheses():
    with pytest.raises(TypeError, match="does not support the context manager protocol"):
        with no_grad:
            pass


def test_repr_names_the_mode():
    with set_grad_enabled(True) as _:
        pass
    assert repr(set_grad_enabled(True)) == "torch.autograd.grad_mode.set_grad_enabled(mode=True)"


@pytest.mark.parametrize("decorate", [no_grad, no_grad(), inference_mode, inference_mode()])
def test_decorator_with_and_without_parentheses(decorate):
    @decorate
    def inside(a, b=2):
        """Doc."""
        return a, b, is_grad_enabled()

    assert inside(1) == (1, 2, False)
    assert inside.__name__ == "inside"
    assert inside.__doc__ == "Doc."


def test_decorated_function_may_recurse():
    @no_grad()
    def down(n):
        return [is_grad_enabled(), *(down(n - 1) if n else [])]

    assert down(3) == [False] * 4


def test_generator_switches_at_every_resume():
    seen = []

    @no_grad()
    def numbers():
        for i in range(3):
            seen.append(is_grad_enabled())
            got = yield i
            seen.append((got, is_grad_enabled()))
        return "done"

    running = numbers()
    assert next(running) == 0
    assert is_grad_enabled()
    assert running.send("a") == 1
    assert is_grad_enabled()
    with enable_grad():
        assert next(running) == 2
    with pytest.raises(StopIteration) as stop:
        next(running)
    assert stop.value.value == "done"
    assert seen == [False, ("a", False), False, (None, False), False, (None, False)]


def test_generator_may_change_the_mode_between_yields():
    @enable_grad()
    def inner():
        with no_grad():
            yield is_grad_enabled()
            yield is_grad_enabled()

    # Each resume enters the decorator's mode again, as PyTorch does.
    assert list(inner()) == [False, True]


def test_generator_throw_and_close_run_under_the_mode():
    seen = []

    @no_grad()
    def guarded():
        try:
            yield 1
        except ValueError:
            seen.append(("thrown", is_grad_enabled()))
            yield 2
        finally:
            seen.append(("closed", is_grad_enabled()))

    running = guarded()
    assert next(running) == 1
    assert running.throw(ValueError("x")) == 2
    running.close()
    assert seen == [("thrown", False), ("closed", False)]


def test_generator_passes_its_exceptions_on():
    @no_grad()
    def failing():
        yield 1
        raise KeyError("inside")

    running = failing()
    next(running)
    with pytest.raises(KeyError, match="inside"):
        next(running)


def test_coroutine_body_runs_in_the_mode_of_its_awaiter():
    @no_grad()
    async def inside():
        return is_grad_enabled()

    assert asyncio.run(inside()) is True


def test_decorating_a_class_warns():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @no_grad()
        class Made:
            def __init__(self):
                self.grad = is_grad_enabled()

    assert Made().grad is False


def test_an_inference_tensor_gets_no_other_memory_outside():
    with inference_mode():
        x = torch.ones(2)
    for source in ((), (torch.zeros(2),)):
        with pytest.raises(RuntimeError, match="^Inplace update to inference tensor outside"):
            x.set_(*source)
    assert x.tolist() == [1, 1]


def test_an_inference_tensor_that_requires_grad_already():
    with inference_mode():
        x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="^Setting requires_grad=True on inference tensor"):
        x.requires_grad_()
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad is being used"):
        x.add_(1)
    with no_grad(), pytest.raises(RuntimeError, match="^Inplace update to inference tensor"):
        x.add_(1)


def test_inference_mode():
    with inference_mode():
        assert is_inference_mode_enabled()
        assert not is_grad_enabled()
        with inference_mode(False):
            assert not is_inference_mode_enabled()
            assert is_grad_enabled()
        assert is_inference_mode_enabled()
    with no_grad(), inference_mode(False):
        assert is_grad_enabled()


def test_inference_mode_records_nothing_whatever_the_grad_mode():
    x = torch.ones(1, requires_grad=True)
    with inference_mode():
        with enable_grad():
            assert is_grad_enabled() and not (x * 2).requires_grad
            with inference_mode(False):
                assert (x * 2).requires_grad
            assert is_grad_enabled() and not (x * 2).requires_grad
        assert not is_grad_enabled()
    assert is_grad_enabled() and (x * 2).requires_grad


def test_modes_belong_to_the_thread():
    seen = []
    with no_grad():
        worker = threading.Thread(target=lambda: seen.append(is_grad_enabled()))
        worker.start()
        worker.join()
    assert seen == [True]


def test_each_thread_that_pauses_is_counted_once():
    x, before = torch.ones(1, requires_grad=True), len(features.paused)
    counts, paused, go = [], threading.Event(), threading.Event()

    def work():
        with no_grad(), inference_mode():
            counts.append(len(features.paused) - before)
            paused.set()
            go.wait(10)
    worker = threading.Thread(target=work)
    worker.start()
    assert paused.wait(10)
    assert (x * 2).requires_grad                     # the other thread's mode is not ours
    with no_grad():
        assert len(features.paused) == before + 2 and not (x * 2).requires_grad
    go.set()
    worker.join()
    x.register_hook(lambda g: counts.append(len(features.paused) - before))
    (x * 2).backward()
    torch.autograd.grad((x * 2).sum(), x, create_graph=True)
    assert counts == [1, 1, 0] and len(features.paused) == before


def test_set_multithreading_enabled_is_remembered():
    before = torch.autograd.is_multithreading_enabled()
    with torch.autograd.set_multithreading_enabled(not before):
        assert torch.autograd.is_multithreading_enabled() is not before
    assert torch.autograd.is_multithreading_enabled() is before
    with pytest.raises(TypeError, match="must be bool, not int"):
        torch.autograd.set_multithreading_enabled(3)


def test_a_write_that_the_version_counter_does_not_show():
    from retrograd.autograd.grad_mode import _unsafe_preserve_version_counter

    w = torch.ones(2, requires_grad=True)
    y = (w * w).sum()
    with torch.no_grad(), _unsafe_preserve_version_counter(w):
        w.mul_(3)
    assert w._version == 0
    y.backward()
    assert w.grad.tolist() == [6.0, 6.0]


def test_numbers_met_in_inference_mode_are_no_inference_tensors():
    with inference_mode():
        torch.ones(2) * 0.8125
    x = torch.ones(2, requires_grad=True)
    (x * x * 0.8125).sum().backward()
    assert x.grad.tolist() == [1.625, 1.625]


def names(t):
    node, found = t.grad_fn, []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


@pytest.mark.parametrize("whole", [False, True], ids=["the view", "its base"])
@pytest.mark.parametrize("view", [
    lambda y: y.t()[1], lambda y: y.unsqueeze(0).view(-1)[::2], lambda y: y.unsqueeze(1)[:, 0],
    lambda y: y.diagonal(), lambda y: y.transpose(0, 1).unfold(0, 2, 2).squeeze()])
def test_replayed_views(view, whole):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    grads = []
    for replay in (True, False):
        with torch.autograd._force_original_view_tracking(replay):
            y = x.clone()
            v = view(y)
            steps = names(v)[:-2]                       # without CloneBackward0 and the leaf
            (y if whole else v).mul_(2)
            assert (names(v)[:len(steps)] == steps) is replay
            grads.append(torch.autograd.grad((v * v).sum() + y.sum(), x)[0])
    assert torch.equal(*grads)


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


def interrupted_at(n, program):
    """Run `program` until it calls the n-th function of the package; whether it came so far."""
    left = n

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_globals.get("__name__", "").startswith("retrograd."):
            left -= 1
            if left == -1:
                raise KeyboardInterrupt

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        program()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("program", [
    lambda x: (x * 2).exp().sum().backward(),
    lambda x: torch.autograd.grad((x ** 3).sum(), x, create_graph=True),
    lambda x: Squared.apply(x).sum().backward(),
    lambda x: torch.func.vmap(torch.func.grad(lambda a: a ** 2))(x),
    lambda x: torch.func.vjp(torch.sin, x)[1](x),
    lambda x: torch.func.jvp(torch.sin, (x,), (x,)),
    lambda x: torch.func.hessian(lambda a: (a ** 3).sum())(x),
    lambda x: torch.autograd.functional.jacobian(torch.sin, x, vectorize=True)])
def test_an_interrupt_leaves_the_modes_as_they_were(program, monkeypatch):
    """In a notebook a program goes on after Ctrl-C, which may come in whatever ends a mode, too."""
    def modes():
        kept = {k: v[:] if isinstance(v, list) else v for k, v in vars(state).items()}
        return kept, levels.open[:], levels.tangents[:], open_levels()

    x = torch.tensor([0.5, 2.0], requires_grad=True)
    program(x)                                      # what is made at the first call is there
    fresh, n = modes(), 0
    for name in ("creation_modes", "vmap", "dual", "recording", "before_write"):
        monkeypatch.setattr(features, name, getattr(features, name))
    while interrupted_at(n, lambda: program(x)):
        assert modes() == fresh, n
        assert min(features.creation_modes, features.vmap, features.dual, features.recording) >= 0
        set_recording(True)                         # it may be among the threads that pause
        n += 1
    assert n > 20


PARTS = {"recorded": lambda: (torch.ones(3, 2, requires_grad=True) * 1).unbind(),
         "a leaf's": lambda: torch.ones(3, 2, requires_grad=True).unbind(),
         "plain": lambda: torch.ones(3, 2).unbind(),
         "of a view": lambda: torch.ones(3, 4)[:, ::2].unbind(),
         "not recorded": lambda: torch.no_grad()(torch.ones(3, 2, requires_grad=True).unbind)(),
         "of inference": lambda: torch.inference_mode()(lambda: torch.ones(3, 2).unbind())(),
         "of integers": lambda: torch.arange(6).split(2),
         "of no rows": lambda: torch.ones(0, 2).unbind()}


@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS)
def test_views_that_one_call_makes_are_alike(make):
    """They differ in their places in memory and among the outputs of their node."""
    parts = make()
    for k, part in enumerate(parts):
        first = parts[0]
        assert part._base is first._base and part._cell is first._cell
        assert part.requires_grad == first.requires_grad and part.is_leaf == first.is_leaf
        assert part.is_inference() == first.is_inference() and part.grad_fn is first.grad_fn
        assert part.output_nr == (k if part.grad_fn is not None else 0)


def test_each_view_of_a_base_wakes_with_it():
    base = torch.ones(3, 2)
    parts = base.unbind()
    base.mul_(torch.ones(2, requires_grad=True))
    assert [part.requires_grad for part in parts] == [True] * 3


@pytest.mark.parametrize("nr", [0, 2])
def test_a_part_may_not_be_written_in_place(nr):
    parts = (torch.ones(3, 2, requires_grad=True) * 1).unbind()
    with pytest.raises(RuntimeError, match=f"Output {nr} of Unbind is .* multiple views"):
        parts[nr].mul_(2)
