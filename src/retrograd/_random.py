"""rand, randn, randint, randperm and so on: PyTorch's CPU numbers for the same seed."""

from __future__ import annotations

from functools import partial

import numpy as np

from ._attributes import CPU
from ._callers import note_write
from ._dtype import as_dtype, int64
from ._state import state
from ._tensor import Tensor, wrap
from .kernels import random as kernels
from .kernels import sampling
from .kernels.checks import not_implemented
from .ops.arguments import invalid_combination, listed_signatures, must_be
from .ops.batching import wrap_batch
from .ops.declare import F
from .ops.factory import (
    OVERLOADED,
    TENSOR_OPTIONS,
    check_number,
    check_options,
    dtype_of_out,
    empty_like,
    is_meta,
    new_array,
    np_dtype,
    requiring,
    resized,
    sizes,
    tensor_of,
)
from .ops.mapped import (
    by_rows,
    drawn_from_tensors,
    drawn_of_size,
    draws,
    from_tensors,
    innermost,
    like_tensor,
    of_size,
    one_further_out,
)
from .ops.mistyped import is_int, of_call
from .ops.out import fill_checked
from .ops.public import public
from .ops.random import (
    bernoulli_,
    check_kernel,
    check_probabilities,
    integer_range,
    normal_,
    normal_numbers,
    probability,
    random_,
    real,
    uniform_,
    uniform_bounds,
)
from .ops.support import number_of, shape_error
from .random import stream_of

FROM_SIZE = [
    f"tuple of ints size, *, {generator}Tensor out = None, {TENSOR_OPTIONS}"
    for generator in ("torch.Generator generator, ", "")
]
RANDINT = [
    f"{bounds}, tuple of ints size, *, {generator}Tensor out = None, {TENSOR_OPTIONS}"
    for bounds in ("int high", "int low, int high")
    for generator in ("torch.Generator generator, ", "")
]
NORMAL = [
    "Tensor mean, Tensor std, *, torch.Generator generator = None, Tensor out = None",
    "Tensor mean, float std = 1, *, torch.Generator generator = None, Tensor out = None",
    "float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None",
    "float mean, float std, tuple of ints size, *, torch.Generator generator = None, "
    f"Tensor out = None, {TENSOR_OPTIONS}",
]
LIKE = [
    f"Tensor input, *, {generator}torch.memory_format memory_format = None, {TENSOR_OPTIONS}"
    for generator in ("torch.Generator generator, ", "")
]
LIKE_BETWEEN = [f"Tensor input, {bounds}, {way.partition(', ')[2]}"
                for bounds in ("int low, int high", "Tensor high", "int high") for way in LIKE]
OVERLOADED.update(
    rand=FROM_SIZE, randn=FROM_SIZE, randint=RANDINT, normal=NORMAL, rand_like=LIKE,
    randn_like=LIKE, randint_like=LIKE_BETWEEN,
    randperm=[s.replace("tuple of ints size", "int n") for s in FROM_SIZE])
NO_PROBABILITY = "invalid multinomial distribution (sum of probabilities <= 0)"
LARGEST_PERMUTATION = {"float16": 2**11 + 1, "float32": 2**24 + 1, "float64": 2**53 + 1}


# --------------------------------------------------------------------------- inside vmap

def _wider(n, args, kwargs):
    """The arguments of rand or randn for n slices."""
    shape = sizes("rand", args, kwargs.get("size"))
    return ((n, *shape),), {**kwargs, "size": None}


def _wider_randint(n, args, kwargs):
    rest = dict(kwargs)
    bounds = [rest.pop(name, None) for name in ("low", "high", "size")]
    low, high, shape = _randint_arguments(args, *bounds)
    return (low, high, (n, *shape)), rest


def _wider_normal(n, args, kwargs):
    mean, std, size = (*args, *(None,) * (3 - len(args)))
    rest = dict(kwargs)
    return (mean, rest.pop("std", 1.0) if std is None else std,
            (n, *(rest.pop("size") if size is None else size))), rest


@draws
def _permutations(function, args, kwargs):
    """randperm() for each slice in turn, as in PyTorch."""
    level, size, mode = innermost()
    with one_further_out():
        if mode == "same":
            return function(*args, **kwargs)
        return wrap_batch(F.stack([function(*args, **kwargs) for _ in range(size)], 0), level)


@draws
def _normal(function, args, kwargs):
    """normal() of a size, or of tensors."""
    if any(isinstance(a, Tensor) for a in (*args, *kwargs.values())):
        return drawn_from_tensors(function, args, kwargs)
    return drawn_of_size(_wider_normal, function, args, kwargs)


# --------------------------------------------------------------------------- from sizes

@public(method=False)
@of_size(_wider)
def rand(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
         pin_memory=False, requires_grad=False):
    """Uniform values in [0, 1) of the given sizes.

    The dtype is the default one unless given; of complex numbers both parts are uniform. Raises
    NotImplementedError for integer dtypes, RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2, 2)
    tensor([[0.4963, 0.7682],
            [0.0885, 0.1320]])
    """
    shape = sizes("rand", args, size, FROM_SIZE)
    if out is not None:
        res = resized(out, shape, dtype, layout, device)
        return requiring(uniform_(res, 0, 1, generator=generator), requires_grad)
    check_options(layout, device, pin_memory)
    stream, kind = stream_of(generator, "rand"), np_dtype(dtype)
    if kind.kind in "biu":
        raise not_implemented("check_uniform_bounds", np.dtype(kind))
    array = new_array(partial(kernels.uniform, stream), shape, kind, device)
    return tensor_of(array, requires_grad, device)


@public(method=False)
@of_size(_wider)
def randn(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
          pin_memory=False, requires_grad=False):
    """Values of the standard normal distribution N(0, 1), of the given sizes.

    The dtype is the default one unless given; the parts of complex numbers have variance 1/2 each.
    Raises NotImplementedError for integer dtypes, RuntimeError for negative sizes.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    shape = sizes("randn", args, size, FROM_SIZE)
    if out is not None:
        res = resized(out, shape, dtype, layout, device)
        return requiring(normal_(res, 0, 1, generator=generator), requires_grad)
    check_options(layout, device, pin_memory)
    stream, kind = stream_of(generator, "randn"), np_dtype(dtype)
    if kind.kind in "biu":
        raise not_implemented("normal_kernel_cpu", np.dtype(kind))
    array = new_array(partial(kernels.normal, stream), shape, kind, device)
    return tensor_of(array, requires_grad, device)


@public(method=False)
@of_size(_wider_randint)
def randint(*args, low=None, high=None, size=None, generator=None, out=None, dtype=None,
            layout=None, device=None, pin_memory=False, requires_grad=False):
    """Integers in [low, high) of the given size: randint(high, size) or randint(low, high, size).

    The dtype is int64 unless given. Raises RuntimeError for an empty range, or for bounds that
    the dtype cannot hold.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randint(10, (5,))
    tensor([4, 9, 3, 0, 3])
    """
    low, high, shape = _randint_arguments(args, low, high, size)
    if out is not None:
        res = resized(out, shape, dtype, layout, device)
        return requiring(random_(res, low, high, generator=generator), requires_grad)
    check_options(layout, device, pin_memory)
    template = np.empty(shape, as_dtype(dtype or int64).np)
    low, high = integer_range(template, low, high)
    stream = stream_of(generator, "randint")
    return _filled(sampling.random_from_to, template, (low, high, stream), requires_grad, device)


def _randint_arguments(args, low, high, size):
    given = list(args)
    if size is None and given and isinstance(given[-1], (tuple, list)):
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    if size is None and len(args) == 2:
        raise must_be("tuple of ints", "randint", "size", 2, args[1])
    if given or high is None or not isinstance(size, (tuple, list)):
        raise invalid_combination("randint", args, {}, RANDINT)
    high = _integer("high", high, 1 if len(args) < 3 else 2)
    return _integer("low", low, 1), high, sizes("randint", (size,))


def _integer(name, value, position):
    try:
        if isinstance(value, bool):
            raise TypeError
        value = value.__index__()
    except (AttributeError, TypeError):
        raise must_be("int", "randint", name, position, value) from None
    if not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return value


@public(method=False)
@_permutations
def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None,
             pin_memory=False, requires_grad=False):
    """0 .. n-1 in random order, in int64 unless a dtype is given. RuntimeError for a negative n.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(5)
    tensor([4, 0, 1, 3, 2])
    """
    if n.__class__ is not int and not is_int(n):
        raise must_be("int", "randperm", "n", 1, n)
    (n,) = sizes("randperm", (n,))
    stream = stream_of(generator, "randperm")
    d = as_dtype(dtype or int64) if out is None else dtype_of_out(out, dtype, layout, device)
    if d.rank not in (1, 2) or d.name in ("uint16", "uint32", "uint64"):
        raise not_implemented("randperm", d.np)
    if d.rank == 1 and n > 1:
        check_number(n - 1, d)
    if n > LARGEST_PERMUTATION.get(d.name, n):
        raise RuntimeError(f"n cannot be greater than {LARGEST_PERMUTATION[d.name]} for "
                           f"{d.tensor_name} type.")
    if out is None:
        check_options(layout, device, pin_memory)
        array = new_array(lambda _, kind: kernels.permutation(stream, n, kind), (n,), d.np, device)
        return tensor_of(array, requires_grad, device)
    resized(out, (n,), dtype, layout, device)._data[...] = kernels.permutation(stream, n, d.np)
    note_write(out, "out=")
    return requiring(out, requires_grad)


def _filled(draw, template, arguments, requires_grad, device):
    """The tensor draw(template, *arguments); on the device "meta" nothing is drawn."""
    values = template if is_meta(device) else draw(template, *arguments)
    return tensor_of(values, requires_grad, device)


# --------------------------------------------------------------------------- like a tensor

def _template(name, input, dtype, layout, device, pin_memory, memory_format):
    """An array like the tensor's, in the order of its memory."""
    if not isinstance(input, Tensor):
        raise must_be("Tensor", name, "input", 1, input)
    check_options(layout, device, pin_memory)
    return empty_like(input._data, dtype, memory_format)


@public(method=False)
@like_tensor
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False, memory_format=None):
    """Uniform values in [0, 1) of the shape and dtype of `input`.

    >>> import retrograd as torch
    >>> torch.rand_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    x = _template("rand_like", input, dtype, layout, device, pin_memory, memory_format)
    low, high = uniform_bounds(x, 0, 1)
    stream = stream_of(generator, "rand_like")
    return _filled(sampling.uniform, x, (low, high, stream), requires_grad, device or input.device)


@public(method=False)
@like_tensor
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
               requires_grad=False, memory_format=None):
    """Standard normal values of the shape and dtype of `input`.

    >>> import retrograd as torch
    >>> torch.randn_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    x = _template("randn_like", input, dtype, layout, device, pin_memory, memory_format)
    mean, std = normal_numbers(x, 0, 1)
    stream = stream_of(generator, "randn_like")
    return _filled(sampling.normal, x, (mean, std, stream), requires_grad, device or input.device)


@public(method=False)
@like_tensor
def randint_like(input, *args, low=0, high=None, generator=None, dtype=None, layout=None,
                 device=None, pin_memory=False, requires_grad=False, memory_format=None):
    """Integers in [low, high) of the shape and dtype of `input`: (input, [low,] high).

    >>> import retrograd as torch
    >>> torch.randint_like(torch.zeros(2, 3), 10).shape
    torch.Size([2, 3])
    """
    x = _template("randint_like", input, dtype, layout, device, pin_memory, memory_format)
    bounds = [low, *args] if len(args) == 1 else list(args)
    low, high = bounds if len(bounds) == 2 else (low, high)
    low, high = integer_range(x, _integer("low", low, 2), _integer("high", high, len(args) + 1))
    stream = stream_of(generator, "randint_like")
    return _filled(sampling.random_from_to, x, (low, high, stream), requires_grad,
                   device or input.device)


# --------------------------------------------------------------------------- draws

@public
@from_tensors
def bernoulli(input, p=None, *, generator=None, out=None):
    """Ones with the probabilities that `input` holds (or all with probability p), else zeros.

    The result has the shape and dtype of input, and gives it a gradient of 0. Raises RuntimeError
    for probabilities outside [0, 1].

    >>> import retrograd as torch
    >>> torch.bernoulli(torch.tensor([0., 1.]))
    tensor([0., 1.])
    """
    if not isinstance(input, Tensor):
        raise must_be("Tensor", "bernoulli", "input", 1, input)
    if isinstance(p, Tensor):
        if p._data.ndim or p._flags & 1:
            unfit = invalid_combination("bernoulli", (input, p), {}, listed_signatures("bernoulli"))
            raise of_call(unfit) or unfit
        p = p.item()
    if p is not None and input._flags == 1 and state.grad:
        return F.bernoulli_like(input, probability(input, p), stream_of(generator, "bernoulli"))
    if p is not None:
        empty = np.empty(input._data.shape, input._data.dtype)      # in order, whatever input's
        return bernoulli_(wrap(empty), p, generator=generator)
    if input._data.dtype.kind == "c":
        raise not_implemented("bernoulli_tensor_cpu_self_", input._data.dtype)
    check_probabilities(input._data)
    res = F.bernoulli_draw(input, stream_of(generator, "bernoulli"))
    return _into("bernoulli", out, res.to(out.dtype) if isinstance(out, Tensor) else res)


@public(method=False)
@from_tensors
def poisson(input, generator=None):
    """A Poisson value for each rate in `input`: k with probability rate^k exp(-rate) / k!.

    The result has the shape and dtype of input, and gives it a gradient of 0. Raises RuntimeError
    for negative rates.

    >>> import retrograd as torch
    >>> torch.poisson(torch.zeros(3))
    tensor([0., 0., 0.])
    """
    if not isinstance(input, Tensor):
        raise must_be("Tensor", "poisson", "input", 1, input)
    check_kernel("poisson_cpu", input._data, (2,))
    if np.count_nonzero(input._data < 0):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return F.poisson_draw(input, stream_of(generator, "poisson"))


@public(method=False)
@from_tensors
def binomial(count, prob, generator=None):
    """The number of successes in `count` trials of probability `prob`, element by element.

    k has the probability count! / (k! (count - k)!) prob^k (1 - prob)^(count - k). The two shapes
    broadcast, and both dtypes must be the same floating one.

    >>> import retrograd as torch
    >>> torch.binomial(torch.tensor([4.]), torch.tensor([1.]))
    tensor([4.])
    """
    for k, (name, t) in enumerate((("count", count), ("prob", prob)), 1):
        if not isinstance(t, Tensor):
            raise must_be("Tensor", "binomial", name, k, t)
    check_kernel("binomial_cpu", count._data, (2,))
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"Found dtype {prob.dtype.tensor_name} but expected "
                           f"{count.dtype.tensor_name}")
    return F.binomial(count, prob, stream_of(generator, "binomial"))


@public(method=False)
@from_tensors
def _standard_gamma(self, generator=None):
    """A Gamma(alpha, 1) value for each alpha in `self`, differentiable by alpha."""
    check_kernel("gamma_cpu", self._data, (2,))
    return F.standard_gamma(self, stream_of(generator, "_standard_gamma"))


@public(method=False)
def _standard_gamma_grad(self, output):
    """The derivative of such a value by its alpha."""
    return F.standard_gamma_grad(self, output)


@public(method=False)
@from_tensors
def _sample_dirichlet(self, generator=None):
    """A Dirichlet value for each vector of concentrations along the last dimension."""
    check_kernel("dirichlet_cpu", self._data, (2,))
    return F.sample_dirichlet(self, stream_of(generator, "_sample_dirichlet"))


@public(method=False)
def _dirichlet_grad(x, alpha, total):
    """The derivative of a Dirichlet value's component by its concentration alpha."""
    return F.dirichlet_grad(x, alpha, total)


@public
@draws(by_rows)
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Indices drawn in proportion to the weights in `input`, shape (n,) or (rows, n).

    Raises RuntimeError for weights that are negative or not finite, for rows of zeros, and
    without replacement for more samples than weights.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([0., 10., 3., 0.]), 2)
    tensor([1, 2])
    """
    if not isinstance(input, Tensor):
        raise must_be("Tensor", "multinomial", "input", 1, input)
    if not is_int(num_samples):
        raise must_be("int", "multinomial", "num_samples", 2, num_samples, 2)
    probs = input._data
    _check_multinomial(input, num_samples, replacement)
    if replacement.__class__ is not bool:
        raise must_be("bool", "multinomial", "replacement", 3, replacement, 3)
    if out is not None and not isinstance(out, Tensor):
        raise must_be("Tensor", "multinomial", "out", None, out)
    if out is not None and out.dtype is not int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.tensor_name}")
    if not probs.shape[-1] and not (replacement and probs.shape[0] == 0 < probs.ndim - 1):
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity." if num_samples == 1 or not replacement else NO_PROBABILITY)
    if probs.size == 0:
        return _into("multinomial", out, wrap(np.empty((*probs.shape[:-1], num_samples), np.int64)))
    least, largest = _ends(probs)
    if not (least >= 0 and largest < np.inf):
        if num_samples == 1 or not replacement:
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        entry = "= infinity or NaN" if not np.isfinite(probs).all() else "< 0"
        raise RuntimeError("invalid multinomial distribution (encountering probability entry "
                           f"{entry})")
    if not largest or probs.ndim > 1 and not np.logical_or.reduce(probs, -1).all():
        raise RuntimeError(NO_PROBABILITY)
    stream = stream_of(generator, "multinomial")
    picks = kernels.multinomial(stream, probs, num_samples, replacement)
    return _into("multinomial", out, wrap(picks))


def _ends(probs):
    """The least and the largest of all elements, nan if there is one."""
    if probs.size < 1024 and probs.dtype.char in "fd":     # a reduction takes longer to begin
        return probs.item(probs.argmin()), probs.item(probs.argmax())
    return np.minimum.reduce(probs, None), np.maximum.reduce(probs, None)


def _check_multinomial(input, num_samples, replacement):
    if not input.dtype.is_floating_point:
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                           f"{input.dtype.tensor_name}")
    if input._data.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > input._data.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without "
                           "replacement")
    if input._data.shape[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")


@public(method=False)
@_normal
def normal(mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None,
           device=None, pin_memory=False, requires_grad=False):
    """Normal values: `mean` and `std` are tensors that broadcast, or numbers; then with a `size`.

    Raises RuntimeError for a negative std.

    >>> import retrograd as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([1., 10.]), 0.1)
    tensor([1.1541, 9.9707])
    """
    stream = stream_of(generator, "normal")
    if size is not None:
        mean, std = number_of(mean, "mean"), number_of(std, "std")
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if not (std._data >= 0).all():
            raise RuntimeError("normal expects all elements of std >= 0.0")
    if isinstance(mean, Tensor):
        normal_numbers(mean._data, 0, 1)
        if isinstance(std, Tensor):
            try:
                np.broadcast_shapes(mean._data.shape, std._data.shape)
            except ValueError:
                raise shape_error(mean._data, std._data) from None
            return _into("normal", out, F.normal_draw(mean, std, stream))
        _, std = normal_numbers(mean._data, 0, std)
        return _into("normal", out, F.normal_around(mean, std, stream))
    if isinstance(std, Tensor):
        return _into("normal", out, F.normal_spread(std, real("normal", "mean", mean), stream))
    if not isinstance(size, (tuple, list)):
        raise invalid_combination("normal", [a for a in (mean, std, size) if a is not None], {},
                                  NORMAL)
    shape = sizes("normal", (size,))
    if out is not None:
        res = resized(out, shape, dtype, layout, device)
        return requiring(normal_(res, mean, std, generator=generator), requires_grad)
    check_options(layout, device, pin_memory)
    template = np.empty(shape, np_dtype(dtype))
    mean, std = normal_numbers(template, mean, std)
    return _filled(sampling.normal, template, (mean, std, stream), requires_grad, device or CPU)


def _into(name, out, result):
    return result if out is None else fill_checked(name, out, result)
