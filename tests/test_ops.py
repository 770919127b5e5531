"""Laws that every declared operator keeps, checked on its own samples.

A sample is a tuple of arrays and plain values. Each law is one test over all operators, and an
operator that cannot keep one says so in its declaration.
"""

from __future__ import annotations

import linecache
import re
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import retrograd as torch
from retrograd import kernels as K
from retrograd._tensor import Tensor, wrap
from retrograd.autograd import forward_ad
from retrograd.ops.declare import REGISTRY
from retrograd.ops.declare import F as T
from retrograd.ops.forward import tangent

STEP = 1e-4


class Case:
    """An operator and one of its samples: which inputs are differentiated, and how to call it."""

    def __init__(self, op, sample):
        self.op = op
        n = len(op.inputs)
        arrays = [list(a) if isinstance(a, list) else a for a in sample[:n]]
        self.listed = op.takes_list
        self.inputs = arrays[0] if self.listed else arrays
        self.consts = list(sample[n:])
        self.names = [op.inputs[0]] * len(self.inputs) if self.listed else op.inputs
        self.moving = [k for k, (name, a) in enumerate(zip(self.names, self.inputs, strict=True))
                       if inexact(a) and derived(op, name)]

    def tensors(self, arrays=None, requires=()):
        arrays = self.inputs if arrays is None else arrays
        return [a if a is None else wrap(np.array(a, order="K")).requires_grad_(k in requires)
                for k, a in enumerate(arrays)]

    def call(self, tensors, fn=None):
        """The differentiable outputs, of a smooth function that the operator is part of."""
        given = [list(tensors)] if self.listed else tensors
        fn = fn or (partial(self.op.smooth, T) if self.op.smooth else self.op.fn)
        res = fn(*given, *self.consts)
        res = res if isinstance(res, tuple) else (res,)
        return [r for name, r in zip(self.op.outputs, res, strict=True)
                if name not in self.op.nondiff]


def derived(op, name):
    """Whether `op` has a derivative for its input `name`."""
    formula = op.joint or op.formulas.get(name)
    return formula is not None and not hasattr(formula, "refuses")


def inexact(a):
    return isinstance(a, np.ndarray) and a.dtype.kind in "fc"


def samples_of(op):
    """The samples that have an input to differentiate."""
    if op.grad_fn is None or op.samples is None or set(op.outputs) == set(op.nondiff):
        return []
    return [case for case in (Case(op, sample) for sample in op.samples()) if case.moving]


def law(asks=lambda op: True):
    """Make a check of one Case a test of every operator for which `asks`, on all its samples."""
    def make(check):
        operators = [op for op in REGISTRY.values() if asks(op) and samples_of(op)]

        @pytest.mark.parametrize("op", operators, ids=lambda op: op.name)
        def test(op):
            for number, case in enumerate(samples_of(op)):
                try:
                    check(case)
                except Exception as error:
                    error.add_note(f"sample {number} of {op.name}: {case.consts}")
                    raise
        test.__doc__ = check.__doc__
        return test
    return make


def noise(seed, like):
    """Random numbers of the shape and kind of the array `like`."""
    rng = np.random.default_rng(seed)
    res = rng.standard_normal(like.shape)
    return res + 1j * rng.standard_normal(like.shape) if like.dtype.kind == "c" else res


def inner(a, b):
    """Re <a, b> of Tensors."""
    product = a.conj() * b
    return (product.real if product.is_complex() else product).sum()


def close(a, b, tolerance=1e-5):
    scale = 1 + np.max(np.abs(b[np.isfinite(b)]), initial=0)
    return np.allclose(a, b, rtol=0, atol=tolerance * scale, equal_nan=True)


def slope(f):
    """The derivative of f at 0, by four values."""
    return (8 * (f(STEP) - f(-STEP)) - (f(2 * STEP) - f(-2 * STEP))) / (12 * STEP)


def value_of_order(case, order, arrays, weights, create=False):
    """(a scalar, its moving inputs) made of the derivatives of this order.

    Order 0 is sum <v, y> with the weights v among the inputs; each next order is the sum of the
    gradients of the one before, weighed at random.
    """
    n = len(case.inputs)
    tensors = case.tensors(arrays[:n], case.moving)
    vs = [wrap(np.array(v)).requires_grad_() for v in arrays[n:]]
    moving = [tensors[k] for k in case.moving] + vs
    outs = case.call(tensors)
    scalar = sum(inner(v, y) for v, y in zip(vs, outs, strict=True))
    for depth in range(order):
        grads = torch.autograd.grad(scalar, moving, create_graph=create or depth + 1 < order,
                                    allow_unused=True, materialize_grads=True)
        scalar = sum(inner(wrap(w), g) for w, g in zip(weights[depth], grads, strict=True))
    return scalar, moving


@law(lambda op: not op.noise)
def test_derivatives_are_finite_differences(case):
    """First, second and third derivatives, of the inputs and of the incoming gradient."""
    for order in range(3):
        check_order(case, order)


def check_order(case, order):
    outs = case.call(case.tensors())
    arrays = [*case.inputs, *(noise(10 + k, o._data) for k, o in enumerate(outs))]
    n = len(case.inputs)
    places = [*case.moving, *range(n, len(arrays))]
    weights = [[noise(20 + depth + 3 * j, arrays[k]) for j, k in enumerate(places)]
               for depth in range(order)]
    try:
        scalar, moving = value_of_order(case, order, arrays, weights, create=True)
        if not scalar.requires_grad:
            return                                   # this derivative is zero everywhere
        grads = torch.autograd.grad(scalar, moving, allow_unused=True, materialize_grads=True)
    except (RuntimeError, NotImplementedError) as refused:
        assert order and "is not implemented" in str(refused)      # as PyTorch refuses it
        return
    for seed in (1, 2):
        directions = [noise(seed + 7 * j, arrays[k]) for j, k in enumerate(places)]
        expected = sum(float(np.sum((np.conj(g.numpy()) * d).real))
                       for g, d in zip(grads, directions, strict=True))
        got = slope(lambda step, directions=directions: value_of_order(case, order, [
            a + step * directions[places.index(k)] if k in places else a
            for k, a in enumerate(arrays)], weights)[0].item())
        assert close(np.array(got), np.array(expected), 1e-6), (got, expected)


@law(lambda op: op.jvp is not None)
def test_jvp_is_the_transpose_of_vjp(case):
    """<v, J t> = <J^T v, t>, for each input by itself and for all together."""
    tensors = case.tensors(requires=case.moving)
    outs = case.call(tensors)
    vs = [noise(10 + k, o._data) for k, o in enumerate(outs)]
    used = [(o, wrap(v)) for o, v in zip(outs, vs, strict=True) if o.requires_grad]
    grads = torch.autograd.grad([o for o, _ in used], [tensors[k] for k in case.moving],
                                [v for _, v in used], allow_unused=True, materialize_grads=True)
    everything = noise_tangents(case)
    for chosen in [*([k] for k in case.moving), case.moving]:
        tangents = [t if k in chosen else None for k, t in enumerate(everything)]
        expected = sum(float(np.sum((np.conj(g.numpy()) * everything[k]).real))
                       for g, k in zip(grads, case.moving, strict=True) if k in chosen)
        for space in ("smooth",) if case.op.smooth else ("arrays", "tensors"):
            moved = forward(case, tangents, space)
            got = sum(float(np.sum((np.conj(v) * m).real)) for v, m in zip(vs, moved, strict=True))
            assert close(np.array(got), np.array(expected), 1e-9), (space, chosen)


def noise_tangents(case):
    return [noise(30 + k, a) if k in case.moving else None for k, a in enumerate(case.inputs)]


def forward(case, tangents, space):
    """The tangents of the differentiable outputs, as arrays."""
    op, tensors = case.op, case.tensors()
    if space == "smooth":
        with forward_ad.dual_level():
            duals = [t if rate is None else forward_ad.make_dual(t, wrap(rate))
                     for t, rate in zip(tensors, tangents, strict=True)]
            return [forward_ad.unpack_dual(o).tangent.numpy() for o in case.call(duals)]
    given = [tensors] if case.listed else tensors
    result = op.fn(*given, *case.consts)
    consts = [*case.consts, *(eval(d) for d in list(op.consts.values())[len(case.consts):])]
    if space == "tensors":
        rates = [None if t is None else wrap(t) for t in tangents]
        moved = tangent(op, given, [rates] if case.listed else rates, consts, result, T)
    else:
        arrays = [None if t is None else t._data for t in tensors]
        made = tuple(r._data for r in result) if isinstance(result, tuple) else result._data
        moved = tangent(op, [arrays] if case.listed else arrays,
                        [tangents] if case.listed else tangents, consts, made, K)
    moved = moved if isinstance(moved, tuple) else (moved,)
    results = result if isinstance(result, tuple) else (result,)
    kept = []
    for name, rate, res in zip(op.outputs, moved, results, strict=False):
        if name not in op.nondiff:
            rate = np.zeros(res._data.shape) if rate is None else getattr(rate, "_data", rate)
            kept.append(np.broadcast_to(rate, res._data.shape))
    return kept


def gradients(case, requires, create=False, seed=40):
    """Gradients of the inputs `requires`, None where nothing flows."""
    tensors = case.tensors(requires=requires)
    outs = [o for o in case.call(tensors) if o.requires_grad]
    vs = [wrap(noise(seed + k, o._data)) for k, o in enumerate(outs)]
    return torch.autograd.grad(outs, [tensors[k] for k in requires], vs, create_graph=create,
                               allow_unused=True)


def same_gradients(a, b):
    for x, y in zip(a, b, strict=True):
        assert (x is None) == (y is None)
        if x is not None:
            assert x.dtype == y.dtype and x.shape == y.shape
            assert close(x.detach().numpy(), y.detach().numpy(), 1e-12)


@law()
def test_array_path_is_tensor_path(case):
    """backward() on arrays and under create_graph give the same gradients."""
    same_gradients(gradients(case, case.moving), gradients(case, case.moving, create=True))


@law(lambda op: len(op.inputs) > 1 or op.takes_list)
def test_every_combination_of_inputs(case):
    """An input's gradient does not depend on which others require grad."""
    whole = dict(zip(case.moving, gradients(case, case.moving), strict=True))
    for size in range(1, len(case.moving)):
        for chosen in combinations(case.moving, size):
            same_gradients(gradients(case, chosen), [whole[k] for k in chosen])


@law()
def test_nothing_is_written(case):
    """Neither the inputs nor the incoming gradient change."""
    before = [None if a is None else np.array(a) for a in case.inputs]
    tensors = case.tensors(requires=case.moving)
    outs = [o for o in case.call(tensors) if o.requires_grad]
    vs = [wrap(noise(40 + k, o._data)) for k, o in enumerate(outs)]
    kept = [v._data.copy() for v in vs]
    torch.autograd.grad(outs, [tensors[k] for k in case.moving], vs, allow_unused=True)
    for t, a in zip(tensors, before, strict=True):
        assert t is None or np.array_equal(t._data, a, equal_nan=inexact(a))
    for v, a in zip(vs, kept, strict=True):
        assert np.array_equal(v._data, a)


@pytest.fixture(autouse=True)
def no_names(monkeypatch):
    """Errors look for names in what the variables of all frames hold, and pytest's hold much."""
    monkeypatch.setattr("retrograd.debug.names.MOST", 0)


@law(lambda op: not op.view)
def test_changed_saved_values_are_caught(case):
    """A write between forward and backward is an error only for what was saved, and names it."""
    op = case.op
    saved = {name for k in case.moving for name in op.saves[case.names[k]]}
    for k, name in enumerate(case.names):
        if isinstance(case.inputs[k], np.ndarray):
            expect_stale(case, lambda tensors, outs, k=k: tensors[k], name, name in saved)
    for nr, name in enumerate(n for n in op.outputs if n not in op.nondiff):
        expect_stale(case, lambda tensors, outs, nr=nr: outs[nr], name, name in saved)


def expect_stale(case, written, name, caught):
    tensors = case.tensors(requires=case.moving)
    outs = case.call(tensors, case.op.fn)
    written(tensors, outs)._cell[0] += 1
    outs = [o for o in outs if o.requires_grad]
    vs = [wrap(np.zeros_like(o._data)) for o in outs]
    inputs = [tensors[k] for k in case.moving]
    if not caught:
        torch.autograd.grad(outs, inputs, vs, allow_unused=True)
        return
    with pytest.raises(RuntimeError, match="modified by an inplace") as error:
        torch.autograd.grad(outs, inputs, vs, allow_unused=True)
    assert re.search(f"saved (as )?{name!r}", str(error.value))


@law(lambda op: op.inplace)
def test_in_place_is_out_of_place(case):
    """name_() writes what name() returns, and its gradients are the same."""
    tensors = case.tensors(requires=case.moving)
    if case.call(case.tensors())[0].shape != tensors[0].shape:
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            case.call(case.tensors(), case.op.in_place)
        return
    expected = case.call(tensors)
    expected_grads = gradients(case, case.moving)
    tensors = case.tensors(requires=case.moving)
    copy = tensors[0].clone()
    res = case.call([copy, *tensors[1:]], case.op.in_place)
    assert res[0] is copy and copy._version == 1
    assert close(copy.detach().numpy(), expected[0].detach().numpy(), 1e-12)
    if copy.requires_grad:
        v = wrap(noise(40, copy._data))
        grads = torch.autograd.grad(copy, [tensors[k] for k in case.moving], v, allow_unused=True)
        same_gradients(grads, expected_grads)


@law(lambda op: op.broadcasts)
def test_gradients_have_their_inputs_dtype_and_shape(case):
    """Mixed precision and broadcasting are undone."""
    for narrow in case.moving:
        arrays = [a.astype(np.float32) if k == narrow and a.dtype == np.float64 else a
                  for k, a in enumerate(case.inputs)]
        tensors = case.tensors(arrays, case.moving)
        out, = case.call(tensors)
        if out.requires_grad:
            inputs = [tensors[k] for k in case.moving]
            v = wrap(noise(40, out._data).astype(out._data.dtype))
            for x, g in zip(inputs, torch.autograd.grad(out, inputs, v, allow_unused=True),
                            strict=True):
                assert g is None or (g.dtype == x.dtype and g.shape == x.shape)


def test_every_operator_has_samples():
    assert [op.name for op in REGISTRY.values() if op.samples is None] == []


def test_source_of_what_is_no_operator_names_those_that_are_like_it():
    from retrograd.ops.declare import source

    with pytest.raises(LookupError, match="called 'softmax_d', but log_softmax_dim, .*; t.grad_fn"):
        source("softmax_d")
    with pytest.raises(LookupError, match="no operator is called 'never'; t.grad_fn"):
        source("never")
    with pytest.raises(LookupError, match="no operator is called 'cat_'"):       # not in place
        source("cat_")
    made = torch.softmax(torch.ones(2, requires_grad=True), 0)
    assert "class SoftmaxBackward0" in source(made.grad_fn.operator.name)


@pytest.mark.parametrize(("name", "place", "operators", "line"), [
    ("softmax", "ops/activation.py", ["softmax_dim"], "def softmax("),
    ("matmul", "ops/matmul.py", ["mm", "bmm", "dot", "mv"], "def matmul("),
    ("conv2d", "ops/conv.py", ["convolution"], "def conv("),
    ("layer_norm", "ops/norm.py", ["native_layer_norm_of"], "def layer_norm("),
    ("index_put_", "ops/gather_scatter.py", ["write_at"], "def index_put("),
    ("linear", "ops/addmm.py", ["addmm", "t"], "def linear("),
    ("__getitem__", "ops/indexing.py", ["select", "slice_dim", "read_at"], "def __getitem__("),
])
def test_source_of_a_function_written_by_hand_names_its_operators(name, place, operators, line):
    from retrograd.ops.declare import source

    file, called, *text = source(name).split("\n")
    assert re.fullmatch(rf"# written by hand: {place}:\d+", file)
    found = called.removeprefix("# operators: ").split(", ")
    assert set(operators) <= set(found) <= set(REGISTRY)
    assert any(row.startswith(line) for row in text)


@pytest.mark.parametrize("name", ["multiply", "multiply_", "mul_", "__mul__", "__imul__"])
def test_source_of_other_names_of_an_operator(name):
    from retrograd.ops.declare import source

    assert source(name) == source("mul")


def test_sources_begin_with_the_places_of_declaration_and_kernel():
    from retrograd.ops.declare import source

    package = Path(torch.__file__).parent
    for name in REGISTRY:
        declared, computed, *_ = source(name).split("\n")
        file, line = re.fullmatch(r"# declared: (ops/\w+\.py):(\d+)", declared).groups()
        assert re.search(r"\bop\(", (package / file).read_text().splitlines()[int(line) - 1]), name
        file, line = re.fullmatch(r"# arrays: (?:numpy\.\w+|(\S+):(\d+))", computed).groups()
        if file is not None:
            text = (package / file).read_text().splitlines()[int(line) - 1]
            assert re.match(r" *(def |@)|.*\blambda ", text), name


def test_a_misspelt_name_fails_at_once():
    from retrograd.ops.declare import op
    with pytest.raises(TypeError, match="othr"):
        op("never(self, other)", "NeverBackward0", self=lambda F, g, othr: g * othr)
    assert "never" not in REGISTRY


def test_a_formula_is_not_taken_for_an_option():
    from retrograd.ops.declare import op
    with pytest.raises(TypeError, match="'part' is an option's name"):
        op("never(self, part)", "NeverBackward0", part=lambda F, g: g)
    assert "never" not in REGISTRY


def test_source_of_an_operator_can_be_read():
    text = REGISTRY["mul"].source
    assert "class MulBackward0(Node):" in text and "def mul(input, other, *, out=None):" in text
    assert "dunder(" not in text                        # what x * y runs, nearly the same again
    compiled = linecache.getlines("<operator mul>")     # where tracebacks look
    assert "".join(compiled).startswith(text)
    assert any("def dunder(" in line for line in compiled)


def test_long_conditions_of_generated_code_have_a_line_of_their_own():
    long = [line for op in REGISTRY.values() for line in op.source.splitlines()
            if len(line) > 100 and line.lstrip().startswith(("if ", "except "))]
    assert [line for line in long if not line.endswith(":")] == []


def test_a_number_is_no_tensor():
    with pytest.raises(TypeError, match=r"exp\(\): argument 'input' \(position 1\) must be Tensor"):
        torch.exp(2.0)
    assert isinstance(torch.add(2, torch.ones(1)), Tensor)


@pytest.mark.parametrize("number", [0.0, 2.0])
def test_the_product_of_a_number_alone_does_not_depend_on_it(number):
    """Its gradient is 1, whatever the number has become since."""
    assert K.prod_others(np.array(number), np.array(3.0), None) == 1
