"""Hooks: on tensors, nodes and leaves, on saved tensors, on several tensors; the graph's edges."""

import copy
import gc
import math
import re
import sys
import threading
import weakref

import pytest

import retrograd as torch
from retrograd.autograd import graph


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def chain():
    x = leaf(1.0, 2.0)
    y = x * 2
    return x, y, (y * 3).sum()


# Tensors and nodes


def test_tensor_hook_sees_and_replaces_the_gradient():
    x, y, z = chain()
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(g.tolist()))
    z.backward()
    assert seen == [[3.0, 3.0], [30.0, 30.0]]
    assert x.grad.tolist() == [60.0, 60.0]


def test_removed_hook_does_not_run():
    x, y, z = chain()
    handle = y.register_hook(lambda g: g * 10)
    handle.remove()
    handle.remove()
    with x.register_hook(lambda g: g * 100):
        pass
    z.backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_order_in_one_step():
    x, y, z = chain()
    seen = []

    def note(name, change=None):
        def hook(*args):
            grad = args[-1][0] if isinstance(args[-1], tuple) else args[-1]
            retained = None if y._grad is None else y._grad.tolist()
            seen.append((name, grad.tolist(), retained))
            return change and change(grad)

        return hook

    y.retain_grad()
    y.grad_fn.register_hook(note("post"))
    y.grad_fn.register_prehook(note("pre", lambda g: (g * 2,)))
    y.register_hook(note("tensor", lambda g: g * 10))
    z.backward()
    assert seen == [
        ("tensor", [3.0, 3.0], None),
        ("pre", [30.0, 30.0], [30.0, 30.0]),
        ("post", [60.0, 60.0], [30.0, 30.0]),
    ]
    assert x.grad.tolist() == [120.0, 120.0]


def test_order_at_a_leaf():
    x, y, z = chain()
    seen = []
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: seen.append(("post", gi, x.grad is not None)))
    node.register_prehook(lambda go: seen.append(("pre", len(go), x.grad is None)))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(("accumulated", p is x)))
    x.register_hook(lambda g: seen.append(("tensor", g.tolist(), x.grad is None)))
    z.backward()
    assert seen == [
        ("tensor", [6.0, 6.0], True),
        ("pre", 1, True),
        ("accumulated", True),
        ("post", (), True),
    ]


def test_hooks_of_a_leaf_outlive_graphs():
    x = leaf(1.0)
    x.register_hook(lambda g: g * 2)
    for _ in range(3):
        (x * 3).sum().backward()
    assert x.grad.item() == 18


def test_hook_on_one_of_several_outputs():
    x = leaf(1.0, 2.0)
    a, b = x.unbind()
    seen = []
    a.register_hook(lambda g: seen.append(("a", g.item())))
    b.register_hook(lambda g: seen.append(("b", g)))
    a.backward()
    assert sorted(seen, key=lambda s: s[0]) == [("a", 1.0), ("b", None)]


def test_captured_gradients_and_hooks():
    x, y, z = chain()
    y.register_hook(lambda g: g * 10)
    grads = torch.autograd.grad(z, [x, y], retain_graph=True)
    assert [g.tolist() for g in grads] == [[60.0, 60.0], [3.0, 3.0]]
    (grad,) = torch.autograd.grad(z, y)
    assert grad.tolist() == [30.0, 30.0]


def test_in_place_change_moves_retain_grad_but_not_hooks():
    x = leaf(1.0, 2.0)
    y = x * 1
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    y.mul_(3)
    y.register_hook(lambda g: g * 100)
    y.sum().backward()
    assert y.grad.tolist() == [100.0, 100.0]
    assert x.grad.tolist() == [3000.0, 3000.0]


def test_grad_mode_in_hooks_follows_create_graph():
    x, y, z = chain()
    seen = []
    y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
    torch.autograd.grad(z, x, retain_graph=True)
    torch.autograd.grad(z, x, create_graph=True)
    assert seen == [False, True]


def test_hook_may_run_another_backward():
    x, y, z = chain()
    w = leaf(5.0)

    def inner(g):
        with torch.enable_grad():
            (w * w).backward()

    y.register_hook(inner)
    z.backward()
    assert w.grad.item() == 10 and x.grad.tolist() == [6.0, 6.0]


def test_exception_in_a_hook_leaves_the_modes_alone():
    x, y, z = chain()

    def fail(g):
        raise KeyError("mine")

    y.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        z.backward()
    assert torch.is_grad_enabled()
    assert (leaf(1.0) * 2).requires_grad


def test_hooked_graph_dies_without_the_collector():
    class Mark:
        pass

    def marked():
        x, y, z = chain()
        mark = Mark()
        y.register_hook(lambda g: (mark, None)[1])
        y.retain_grad()
        z.backward()
        return weakref.ref(mark)

    gc.disable()
    try:
        assert marked()() is None
    finally:
        gc.enable()


def backward_with(register):
    def run():
        x, y, z = chain()
        register(x, y)
        z.backward()

    return run


def f(value):
    """A hook that returns `value` whatever it is given; called <lambda> in messages."""
    return lambda *args: value


ERRORS = {
    "tensor hook: wrong shape": (
        backward_with(lambda x, y: y.register_hook(f(torch.ones(4)))),
        RuntimeError,
        "hook '<lambda>' has changed the size of value",
    ),
    "tensor hook: wrong type": (
        backward_with(lambda x, y: y.register_hook(f(3.0))),
        TypeError,
        "expected Variable, but hook returned 'float'",
    ),
    "tensor hook: wrong dtype": (
        backward_with(lambda x, y: y.register_hook(lambda g: g.double())),
        RuntimeError,
        "hook '<lambda>' has changed the type of value (was torch.FloatTensor got "
        "torch.DoubleTensor)",
    ),
    "post hook: wrong number": (
        backward_with(lambda x, y: y.grad_fn.register_hook(lambda gi, go: (gi[0],) * 3)),
        RuntimeError,
        "hook '<lambda>' has returned an incorrect number of values (got 3, but expected 2)",
    ),
    "post hook: no tuple": (
        backward_with(lambda x, y: y.grad_fn.register_hook(lambda gi, go: gi[0])),
        TypeError,
        "expected tuple, but hook returned 'Tensor'",
    ),
    "prehook: no tuple": (
        backward_with(lambda x, y: y.grad_fn.register_prehook(f(3))),
        TypeError,
        "expected tuple, but hook returned 'int'",
    ),
    "prehook: wrong number": (
        backward_with(lambda x, y: y.grad_fn.register_prehook(lambda go: (go[0], go[0]))),
        RuntimeError,
        "hook '<lambda>' has returned an incorrect number of values (got 2, but expected 1)",
    ),
    "prehook: wrong shape": (
        backward_with(lambda x, y: y.grad_fn.register_prehook(f((torch.ones(3),)))),
        RuntimeError,
        "hook '<lambda>' has changed the size of value",
    ),
    "post accumulate: returns a tensor": (
        backward_with(lambda x, y: x.register_post_accumulate_grad_hook(lambda p: p.grad)),
        RuntimeError,
        "Tensor post accumulate grad hooks should return None.",
    ),
    "post accumulate: returns a tensor of another shape": (
        backward_with(lambda x, y: x.register_post_accumulate_grad_hook(f(torch.ones(5)))),
        RuntimeError,
        "hook '<lambda>' has changed the size of value",
    ),
    "hook without grad": (
        lambda: torch.ones(1).register_hook(f(None)),
        RuntimeError,
        "cannot register a hook on a tensor that doesn't require gradient",
    ),
    "post accumulate without grad": (
        lambda: torch.ones(1).register_post_accumulate_grad_hook(f(None)),
        RuntimeError,
        "cannot register a hook on a tensor that doesn't require gradient",
    ),
    "post accumulate of a computed tensor": (
        lambda: chain()[1].register_post_accumulate_grad_hook(f(None)),
        RuntimeError,
        "post accumulate grad hooks cannot be registered on non-leaf tensors",
    ),
    "retain_grad without grad": (
        lambda: torch.ones(1).retain_grad(),
        RuntimeError,
        "can't retain_grad on Tensor that has requires_grad=False",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_misuse_raises_pytorchs_words(case):
    run, kind, words = ERRORS[case]
    with pytest.raises(kind, match=re.escape(words)):
        run()


# Saved tensors


def test_saved_tensors_are_packed_and_unpacked():
    packed, unpacked = [], []

    def pack(t):
        packed.append(t.tolist())
        return t.numpy()

    def unpack(array):
        unpacked.append(array.tolist())
        return torch.from_numpy(array)

    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(pack, unpack), torch.no_grad():
        constant = x * 3
    with graph.saved_tensors_hooks(lambda t: pack(t.detach()), unpack):
        y = (x * constant).exp()
    assert packed == [[3.0, 6.0], y.tolist()]
    y.sum().backward()
    assert unpacked == [y.tolist(), [3.0, 6.0]]
    assert torch.allclose(x.grad, (constant * y).detach())


@pytest.mark.parametrize("compute, order", [
    (lambda a, b: a * b, "ba"), (torch.dot, "ab"), (torch.outer, "ba"), (torch.atan2, "ba"),
    (torch.pow, "ba="), (torch.hypot, "ba="), (lambda a, b: torch.lerp(a, b, a), "baa"),
    (lambda a, b: torch.addcmul(b, a, b), "ab"), (torch.nn.functional.mse_loss, "ab"),
    (lambda a, b: torch.nn.functional.layer_norm(leaf(1.0, 1.0), (2,), a, b), "b=a=="),
])
def test_saved_tensors_are_packed_and_unpacked_by_their_names(compute, order):
    """By PyTorch's names of arguments: exponent, self; results come last."""
    a, b = leaf(2.0, 3.0), leaf(4.0, 5.0)
    known = {(2.0, 3.0): "a", (4.0, 5.0): "b"}
    packed, unpacked = [], []

    def noted(where):
        return lambda t: (where.append(known.get(tuple(t.flatten().tolist()), "=")), t)[1]

    with graph.saved_tensors_hooks(noted(packed), noted(unpacked)):
        y = compute(a, b)
    y.sum().backward()
    assert "".join(packed) == "".join(unpacked) == order


def test_inner_hooks_count():
    x = leaf(3.0)
    double, half = (lambda t: t * 2), (lambda t: t / 2)
    with graph.saved_tensors_hooks(double, lambda t: t):
        with graph.saved_tensors_hooks(double, half):
            y = x * x
        z = x * x
    torch.autograd.backward([y, z])
    assert x.grad.item() == 6 + 12


def test_unpacked_tensors_keep_their_history():
    x = leaf(3.0)
    with graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert (g.item(), h.item()) == (27.0, 18.0)
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = x.exp()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert torch.equal(g, h)


def test_in_place_results_are_packed_after_the_write():
    x = leaf(0.0, 1.0)
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = (x * 1).exp_()
    y.sum().backward()
    assert torch.allclose(x.grad, x.detach().exp())


def test_pack_hook_may_return_its_tensor_without_a_leak():
    class Mark:
        pass

    def marked():
        x = leaf(1.0)
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = x.exp().sin()
        mark = y.grad_fn.metadata["mark"] = Mark()
        return weakref.ref(mark)

    gc.disable()
    try:
        assert marked()() is None
    finally:
        gc.enable()


def test_save_on_cpu():
    x = leaf(1.0, 2.0)
    with graph.save_on_cpu(pin_memory=True):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_raw_saved_tensors():
    x = leaf(2.0)
    y = x * x
    saved = y.grad_fn._raw_saved_self
    assert isinstance(saved, torch.autograd.SavedTensor)
    saved.register_hooks(lambda t: t * 2, lambda t: t)
    assert y.grad_fn._saved_self.item() == 4 and y.grad_fn._saved_other.item() == 2
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        saved.register_hooks(lambda t: t, lambda t: t)
    y.backward()
    assert x.grad.item() == 6
    with pytest.raises(RuntimeError, match="register_hooks on a saved tensor after it has been"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        y.grad_fn._saved_self  # noqa: B018
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python"):
        torch.autograd.SavedTensor()


def double_in_place(t):
    t.mul_(2)
    return t


def packed(pack, unpack):
    x = leaf(1.0)
    with graph.saved_tensors_hooks(pack, unpack):
        y = (x * 1).exp()
    y.backward()


@pytest.mark.parametrize(
    ("pack", "unpack", "kind", "words"),
    [
        (
            double_in_place,
            lambda t: t,
            RuntimeError,
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input",
        ),
        (
            lambda t: 1,
            lambda t: t,
            TypeError,
            "Output of saved tensor unpack_hook expected to be a Tensor but got result of type int",
        ),
    ],
)
def test_bad_packing(pack, unpack, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        packed(pack, unpack)


def test_hooks_on_saved_tensors_may_be_switched_off():
    with graph.disable_saved_tensors_hooks("hooks are off here"):
        with (
            pytest.raises(RuntimeError, match="hooks are off here"),
            graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        ):
            pass
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


# Writing to saved tensors


def test_saved_tensors_may_be_written_to():
    x = leaf(1.0, 2.0)
    with graph.allow_mutation_on_saved_tensors() as context:
        y = x.clone()
        z = (y**2).sum()
        y.sin_()
        assert len(context.cloned) == 1
        y[:1].mul_(3)
        z.backward()
        assert len(context.cloned) == 0
    assert x.grad.tolist() == [2.0, 4.0]


def test_saved_tensors_may_be_written_to_only_inside():
    x = leaf(1.0)
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone() ** 2
    with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation"):
        y.backward()
    with (
        pytest.raises(RuntimeError, match="contexts cannot be nested"),
        graph.allow_mutation_on_saved_tensors(),
        graph.allow_mutation_on_saved_tensors(),
    ):
        pass


# Several tensors


def test_hook_on_all_of_several_tensors():
    x = leaf(1.0)
    a, b, c = x * 2, x * 3, x * 4
    seen = []
    handle = graph.register_multi_grad_hook((a, b, c), seen.append)
    (a * b).backward(retain_graph=True)
    (grads,) = seen
    assert [g and g.item() for g in grads] == [3.0, 2.0, None]
    (a * b * c).backward(retain_graph=True)
    assert [g.item() for g in seen[1]] == [12.0, 8.0, 6.0]
    handle.remove()
    a.backward()
    assert len(seen) == 2


def test_hook_on_any_of_several_tensors():
    x = leaf(1.0)
    a, b = x * 2, x * 3
    seen = []
    graph.register_multi_grad_hook((a, b), lambda g: seen.append(g.item()), mode="any")
    (a * b).backward()
    assert len(seen) == 1 and seen[0] in (2.0, 3.0)


def test_multi_grad_hook_errors():
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        graph.register_multi_grad_hook([torch.ones(1)], print)
    with pytest.raises(ValueError, match=re.escape("one of ('all', 'any') but got some")):
        graph.register_multi_grad_hook([leaf(1.0)], print, mode="some")


# Nodes and edges


def test_gradient_edges_stand_for_tensors():
    x, y, z = chain()
    edge = graph.get_gradient_edge(y)
    assert edge.node is y.grad_fn and edge.output_nr == 0
    (grad,) = torch.autograd.grad(graph.get_gradient_edge(z), edge, torch.tensor(1.0))
    assert grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge"):
        graph.get_gradient_edge(torch.ones(1))


@pytest.mark.parametrize("shape", [(4,), (), (1, 2)])
def test_the_gradient_given_for_an_edge_has_its_tensors_shape_and_dtype(shape):
    x, y, _ = chain()
    edge = graph.get_gradient_edge(y)
    words = re.escape(f"grad_output[0] has a shape of {torch.Size(shape)} and output[0] has a "
                      "shape of torch.Size([2]).")
    with pytest.raises(RuntimeError, match=words):
        torch.autograd.grad(edge, x, torch.ones(shape))
    with pytest.raises(RuntimeError, match=words):
        torch.autograd.backward(edge, torch.ones(shape))
    assert x.grad is None
    with pytest.raises(RuntimeError, match="For complex Tensors, both grad_output and output"):
        torch.autograd.grad(edge, x, torch.ones(2, dtype=torch.complex64))
    (grad,) = torch.autograd.grad(edge, x, torch.ones(2, dtype=torch.float64))
    assert grad.dtype is torch.float32


def test_nodes_run_by_hand():
    x, y, z = chain()
    assert z.grad_fn(torch.tensor(2.0)).tolist() == [2.0, 2.0]
    grad, none = y.grad_fn(torch.ones(2))
    assert grad.tolist() == [2.0, 2.0] and none is None
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        y.grad_fn(torch.ones(2), torch.ones(2))
    assert isinstance(y.grad_fn, graph.Node)


def test_increment_version():
    x = leaf(1.0) * 1
    y = x.sin()
    graph.increment_version(x)
    assert x._version == 1
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()


# Anomaly mode


def test_anomaly_mode_names_the_forward_line():
    x = leaf(0.0)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        mode = torch.autograd.detect_anomaly()
    words = "Function 'SqrtBackward0' returned nan values in its 0th output."
    forward_line = "Error detected in SqrtBackward0. Traceback of forward call that caused the "
    with (
        mode,
        pytest.warns(UserWarning, match=forward_line) as warned,
        pytest.raises(RuntimeError, match=re.escape(words)),
    ):
        y = torch.sqrt(x) * 0  # the line that is named
        y.sum().backward()
    assert any("y = torch.sqrt(x) * 0" in str(w.message) for w in warned)
    assert not torch.is_anomaly_enabled()


def test_anomaly_mode_tells_the_element_and_the_cure():
    x = leaf(4.0, 0.0)
    with (
        pytest.warns(UserWarning),
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError) as caught,
    ):
        y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2))  # too late
        y.sum().backward()
    sentence, _, told = str(caught.value).partition("\n\n")
    assert sentence == "Function 'SqrtBackward0' returned nan values in its 0th output."
    assert told.startswith("The gradient of sqrt() is nan, at element (1,):\n")
    assert "# too late\n" in told and "the result is 0 here" in told
    assert "Cure: add a small number inside, `torch.sqrt(x + 1e-12)`" in told


def test_anomaly_mode_without_forward_information():
    x = leaf(0.0)
    y = (torch.sqrt(x) * 0).sum()
    with (
        torch.autograd.set_detect_anomaly(True),
        pytest.warns(UserWarning, match="No forward pass information available"),
        pytest.raises(RuntimeError, match="returned nan values"),
    ):
        y.backward()


def test_anomaly_mode_may_let_nan_pass():
    x = leaf(0.0)
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        (torch.sqrt(x) * 0).sum().backward()
    assert x.grad.isnan().all()
    with pytest.raises(TypeError, match=r"set_anomaly_enabled\(\): argument 'enabled'"):
        torch.autograd.set_detect_anomaly("yes")


def test_the_hooks_of_a_tensor_see_one_gradient():
    x = leaf(1.0, 2.0)
    seen = []
    x.register_hook(seen.append)
    x.register_hook(lambda grad: setattr(grad, "note", "left by a hook"))
    x.register_hook(seen.append)
    (x * 2).sum().backward()
    assert seen[0] is seen[1] and seen[0].note == "left by a hook"


@pytest.mark.parametrize("create_graph", [False, True])
def test_threads_share_nodes_whose_saved_tensors_are_packed(create_graph):
    x = torch.linspace(0.1, 1, 5, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = (x.exp() * x.sin() * x).tanh().sum()
    (expected,) = torch.autograd.grad(y, x, retain_graph=True)
    wrong = []

    def work():
        for _ in range(30):
            try:
                (g,) = torch.autograd.grad(y, x, retain_graph=True, create_graph=create_graph)
                if not torch.equal(g, expected):
                    wrong.append(g)
            except Exception as error:
                wrong.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong


@pytest.mark.parametrize("part", [lambda y, t: y[t], lambda y, t: y[:, t:t + 1]])
def test_hooks_of_many_parts_see_their_gradients(part):
    """Gradients of parts are added in place where nobody looks: hooks look."""
    x = torch.randn(4, 4, requires_grad=True)
    y, seen = x * 2, []
    parts = [part(y, t) for t in range(4)]
    parts[0].retain_grad()
    parts[1].register_hook(lambda g: g * 3)
    parts[2].grad_fn.register_hook(lambda inputs, outputs: seen.append(inputs[0].shape))
    parts[3].grad_fn.register_prehook(lambda outputs: (outputs[0] * 5,))
    sum(p.sum() for p in parts).backward()
    expected = torch.zeros(4, 4)
    for t, factor in enumerate((2, 6, 2, 10)):
        part(expected, t).fill_(factor)
    assert torch.equal(x.grad, expected) and seen == [(4, 4)]
    assert torch.equal(parts[0].grad, torch.ones_like(parts[0]))


def test_a_view_made_in_no_grad_takes_hooks_that_are_never_called():
    x, seen = torch.ones(3, requires_grad=True), []
    with torch.no_grad():
        view = x[:2]
    assert view.is_leaf and view.requires_grad
    handle = view.register_post_accumulate_grad_hook(seen.append)
    (x * 2).sum().backward()
    assert not seen
    handle.remove()


def test_hooks_see_a_leaf_that_was_used_twice_as_soon_as_it_is_complete():
    told = []
    w, e = (torch.tensor(v, requires_grad=True) for v in (2., 3.))
    for name, leaf in (("w", w), ("e", e)):
        leaf.register_post_accumulate_grad_hook(
            lambda t, name=name: told.append((name, t.grad.item())))
    other = w * 7                                        # the edge of a graph that is not run
    ((e.exp() * w) * w).backward()
    assert [name for name, _ in told] == ["w", "e"]
    assert told[0][1] == pytest.approx(4 * math.exp(3)) and other.requires_grad


class FirstGetsNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return None, g


def test_hooks_of_a_leaf_are_shown_that_there_is_no_gradient():
    for extra in (0, 1):
        told = []
        x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
        x.register_hook(lambda g, told=told: told.append(("hook", g)))
        x.register_post_accumulate_grad_hook(lambda t, told=told: told.append(("after", t.grad)))
        beside = [x * 2 for _ in range(extra)]
        FirstGetsNone.apply(x, y).sum().backward()
        assert told == [("hook", None), ("after", None)] and len(beside) == extra
        assert x.grad is None and y.grad.tolist() == [1, 1]
    told.clear()
    found = torch.autograd.grad(FirstGetsNone.apply(x, y).sum(), [x, y], allow_unused=True)
    assert found[0] is None and told == [("hook", None)]


def test_hooks_of_several_outputs_run_in_the_order_of_their_registration():
    told = []
    a, b = torch.ones(4, requires_grad=True).mul(2).split(2)
    b.register_hook(lambda g: told.append(("b", g)))
    a.register_hook(lambda g: told.append(("a", g.tolist())))
    a.sum().backward()
    assert told == [("b", None), ("a", [1, 1])]


def test_hooks_of_an_only_root_run_if_it_is_not_wanted():
    told = []
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    z, w = x * 2, x * 3
    z.register_hook(lambda g: told.append("z"))
    assert torch.autograd.grad(z, y, torch.ones(2), allow_unused=True) == (None,)
    assert told == ["z"]
    torch.autograd.grad([w, z], y, [torch.ones(2)] * 2, allow_unused=True)
    assert told == ["z"]


def test_hooks_of_a_leaf_that_is_a_root_run_first():
    told = []
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    for name, t in (("x", x), ("y", y)):
        t.register_post_accumulate_grad_hook(lambda t, name=name: told.append(name))
    torch.autograd.backward([(y * 2), x], [torch.ones(2)] * 2)
    assert told == ["x", "y"]


def test_outputs_without_a_gradient_are_the_first_of_nothing():
    x = torch.rand(3, requires_grad=True)
    for values, places in (x.max(0), x.sort(), x.topk(2), x.median(0)):
        assert (values.output_nr, places.output_nr, places.grad_fn) == (0, 0, None)
    assert [t.output_nr for t in torch.std_mean(x)] == [0, 1]


@pytest.mark.parametrize(("expression", "name", "entries"), [
    ("1 - x", "RsubBackward1", "x"),
    ("torch.rsub(x, 1)", "RsubBackward1", "x"),
    ("torch.rsub(x, c)", "RsubBackward0", "x-"),
    ("x[0].prod(0)", "ProdBackward1", "x"),
    ("x.clamp(c)", "ClampBackward0", "x--"),
    ("x.clamp(c, 2 * c)", "ClampBackward0", "x--"),
    ("x.clamp(max=x)", "ClampBackward0", "x-x"),
    ("torch.scatter_reduce(c, 0, i, x, 'sum')", "ScatterReduceBackward0", "-x"),
    ("torch.index_reduce(x, 0, i, c, 'prod')", "IndexReduceBackward0", "x-"),
])
def test_entries_of_next_functions(expression, name, entries):
    x = torch.ones(3, requires_grad=True)
    y = eval(expression, {"torch": torch, "x": x, "c": torch.ones(3), "i": torch.tensor([0, 0, 1])})
    node = y.grad_fn
    assert node.name() == name
    assert [e == "-" for e in entries] == [n is None for n, _ in node.next_functions]
    shown = []
    node.register_hook(lambda inputs, outputs: shown.append(inputs))
    node.register_hook(lambda inputs, _: tuple(None if g is None else 3 * g for g in inputs))
    y.sum().backward()
    assert len(shown[0]) == len(entries)
    if "1" in expression:
        assert torch.equal(x.grad, torch.full((3,), -3.0))


def test_a_post_accumulate_hook_may_return_its_leaf():
    """As a step in place does that is written as an expression."""
    x = torch.zeros(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: p.add_(p.grad, alpha=-0.5))
    for _ in range(2):
        (x * torch.tensor([1.0, 2.0])).sum().backward()
        x.grad = None
    assert x.tolist() == [-1.0, -2.0] and x.is_leaf


# --------------------------------------------------------------------------- grad_dtype

def leaf_of(dtype, wanted, t=torch):
    x = t.tensor([1.0, 2.0], dtype=getattr(t, dtype), requires_grad=True)
    x.grad_dtype = wanted and getattr(t, wanted)
    return x


GRAD_DTYPES = {
    "wider": ("float32", "float64", lambda t, x: (x * 2).sum().backward()),
    "of half precision": ("float16", "float32", lambda t, x: (x * 1.2345).sum().backward()),
    "narrower": ("float64", "float16", lambda t, x: (x * 1.2345).sum().backward()),
    "complex": ("float32", "complex64", lambda t, x: (x * 2).sum().backward()),
    "any": ("float32", None, lambda t, x: (x * 2).sum().backward()),
    "any that is there": ("float32", None, lambda t, x: (
        setattr(x, "grad", t.ones(2, dtype=t.float64)), (x * 2).sum().backward())),
    "recorded": ("float32", "float64", lambda t, x: (x * x).sum().backward(create_graph=True)),
    "of two parts": ("float32", "float64", lambda t, x: (x * x + x).sum().backward()),
    "added up": ("float32", "float64", lambda t, x: [(x * n).sum().backward() for n in (2, 3)]),
    "seen by a hook": ("float32", "float64", lambda t, x: (
        x.register_hook(lambda g: g * (3 if g.dtype is t.float64 else 5)), x.sum().backward())),
    "of a graph that was there": ("float32", "float64", lambda t, x: (
        setattr(x, "grad_dtype", t.float32), y := x * 2, setattr(x, "grad_dtype", t.float64),
        y.sum().backward())),
    "returned": ("float32", "float64", lambda t, x: setattr(
        x, "grad", t.autograd.grad((x * 2).sum(), x)[0])),
}
RECEIVED = {       # from PyTorch
    "wider": ("float64", [2.0, 2.0]), "of half precision": ("float32", [1.234375, 1.234375]),
    "narrower": ("float16", [1.234375, 1.234375]), "complex": ("complex64", [2, 2]),
    "any": ("float32", [2.0, 2.0]), "any that is there": ("float64", [3.0, 3.0]),
    "recorded": ("float64", [2.0, 4.0]), "of two parts": ("float64", [3.0, 5.0]),
    "added up": ("float64", [5.0, 5.0]), "seen by a hook": ("float64", [3.0, 3.0]),
    "of a graph that was there": ("float64", [2.0, 2.0]), "returned": ("float64", [2.0, 2.0]),
}


def received(t, name):
    dtype, wanted, run = GRAD_DTYPES[name]
    x = leaf_of(dtype, wanted, t)
    run(t, x)
    return str(x.grad.dtype).rpartition(".")[2], x.grad.tolist()


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("name", GRAD_DTYPES)
def test_gradients_have_the_dtype_that_their_leaf_wants(name):
    assert received(torch, name) == RECEIVED[name]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("name", GRAD_DTYPES)
def test_gradients_have_the_dtype_that_pytorchs_have(name):
    assert received(torch, name) == received(pytest.importorskip("torch"), name)


def test_a_grad_dtype_belongs_to_one_leaf():
    x = leaf_of("float32", "float64")
    assert x.grad_dtype is torch.float64 and x.detach().grad_dtype is torch.float32
    assert copy.deepcopy(x).grad_dtype is torch.float32
    x = torch.ones(2)
    x.grad_dtype = torch.float64               # before it requires grad
    x.requires_grad_().sum().backward()
    assert x.grad.dtype is torch.float64
    x.grad, x.grad_dtype = None, torch.float32
    x.sum().backward()
    assert x.grad.dtype is x.grad_dtype is torch.float32


@pytest.mark.parametrize(("call", "message"), [
    (lambda: (leaf_of("float32", None) * 2).grad_dtype, "can only be accessed on leaf tensors"),
    (lambda: setattr(leaf_of("float32", None) * 2, "grad_dtype", None), "can only be set on leaf"),
    (lambda: leaf_of("float32", None).__setattr__("grad_dtype", "a"),
     "grad_dtype must be a torch.dtype or None, but got str"),
    (lambda: setattr(leaf_of("float32", "float64"), "grad", torch.ones(2)),
     "dtype 'float' to a tensor with grad_dtype 'Double'"),
    (lambda: leaf_of("float32", "int64").sum().backward(), "is not differentiable"),
])
def test_grad_dtypes_that_cannot_be(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_a_gradient_that_is_there_keeps_its_dtype():
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    with pytest.raises(RuntimeError, match="Cannot set grad_dtype to 'Double' because there is"):
        x.grad_dtype = torch.float64
    assert x.grad_dtype is torch.float32


@pytest.mark.parametrize("size", [4, 200_000])
@pytest.mark.parametrize("function", [lambda x: -x, lambda x: 1 - x, lambda x: 2 * x, torch.round])
def test_a_hook_may_write_to_a_gradient_that_has_memory(function, size):
    """Beside a sum, whose own gradient is one number expanded, these have an element for each."""
    x = torch.ones(size, requires_grad=True)
    y = x * 1.0
    y.register_hook(lambda g: g.mul_(3))
    function(y).sum().backward()
    slope, = torch.autograd.grad(function(x).sum(), x)
    assert torch.equal(x.grad, 3 * slope) and slope.is_contiguous()
