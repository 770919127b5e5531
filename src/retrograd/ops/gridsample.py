"""Sampling of images at fractional positions: grid_sampler and the grids of affine maps.

A sample is a sum over pixels, each times a weight for every axis of space. `orders` says how many
times each of these weights is differentiated (None: not at all). So the operators below give each
other's derivatives, of any order.
"""

from __future__ import annotations

import math

from . import nn_samples as S
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dim
from .nn_checks import check_one_dtype
from .public import public


def _places(dims):
    """Samples: images, places in them, interpolation, padding, align_corners, orders."""
    image = S.normal(1, 2, *(3, 4, 3)[:dims])
    grid = S.normal(1, *(2, 1, 2)[:dims], dims, seed=2) / 3
    modes = [(0, 0, False), (1, 0, False), (0, 2, True)]
    if dims == 2:
        modes += [(2, 1, False), (2, 0, False, (1, 0))]
    return [(image, grid, *m) for m in modes]


def _gradients(dims):
    """Samples of the backward operators: the gradient of a sample's result comes first."""
    return [(S.normal(1, 2, *grid.shape[1:-1], seed=1), image, grid, *modes)
            for image, grid, *modes in _places(dims)]


def _axes(F, v, dims, orders):
    """(the part of a gradient of the grid that belongs to an axis, orders with one more there)."""
    orders = orders or (0,) * dims
    for d in range(dims):
        more = tuple(k + (axis == d) for axis, k in enumerate(orders))
        part = F.take_part(v, (Ellipsis, dims - 1 - d))
        yield F.unsqueeze(part, 1), more                       # (N, *out) -> (N, 1, *out)


def _declare(dims):
    """grid_sampler of 2 or 3 dimensions of space and its two gradients."""
    name, node = f"grid_sampler_{dims}d", f"GridSampler{dims}DBackward"
    modes = "interpolation_mode, padding_mode, align_corners, orders=None"

    def parts(F):
        return (getattr(F, f"{name}_of"), getattr(F, f"{name}_backward_input"),
                getattr(F, f"{name}_backward_grid"))

    def backward_of_input(F, g, need, grad, input, grid, interpolation_mode, padding_mode,
                          align_corners, orders):
        modes = interpolation_mode, padding_mode, align_corners, orders
        sample, _, of_grid = parts(F)
        return (sample(g, grid, *modes) if need[0] else None, None,
                of_grid(grad, g, grid, *modes) if need[2] else None)

    def backward_of_grid(F, g, need, grad, input, grid, interpolation_mode, padding_mode,
                         align_corners, orders):
        modes = interpolation_mode, padding_mode, align_corners
        sample, of_input, of_grid = parts(F)
        axes = list(_axes(F, g, dims, orders))
        return (
            sum(v * sample(input, grid, *modes, more) for v, more in axes) if need[0] else None,
            sum(of_input(v * grad, input, grid, *modes, more) for v, more in axes)
            if need[1] else None,
            sum(of_grid(v * grad, input, grid, *modes, more) for v, more in axes)
            if need[2] else None)

    op(f"{name}_of(input, grid | {modes})", f"{node}0", public=False,
       samples=lambda: _places(dims),
       joint=lambda F, g, need, input, grid, interpolation_mode, padding_mode, align_corners,
                    orders:
                 F.grid_sampler_backward(g, input, grid, interpolation_mode, padding_mode,
                                         align_corners, orders, need))
    op(f"{name}_backward_input(grad, input, grid | {modes})", f"{node}Backward0", public=False,
       samples=lambda: _gradients(dims), joint=backward_of_input)
    op(f"{name}_backward_grid(grad, input, grid | {modes})", f"{node}Backward0", public=False,
       samples=lambda: _gradients(dims), joint=backward_of_grid)


_declare(2)
_declare(3)


@composite
def grid_sampler_backward(g, input, grid, interpolation_mode, padding_mode, align_corners, orders,
                          need):
    """The gradients of grid_sampler, of Tensors."""
    values = (g, input, grid, interpolation_mode, padding_mode, align_corners, orders)
    name = f"grid_sampler_{input.ndim - 2}d_backward"
    return (getattr(T, f"{name}_input")(*values) if need[0] else None,
            getattr(T, f"{name}_grid")(*values) if need[1] else None)


op("affine_grid_of(theta | size, align_corners)", "AffineGridGeneratorBackward0", public=False,
   samples=lambda: [(S.normal(2, 2, 3), (2, 1, 3, 4), False)],
   theta = lambda F, g, size, align_corners: F.affine_grid_backward(g, size, align_corners),
   jvp   = "linear")

op("affine_grid_backward(grad | size, align_corners)", "AffineGridGeneratorBackwardBackward0",
   public=False, samples=lambda: [(S.normal(2, 3, 4, 2), (2, 1, 3, 4), False)],
   grad = lambda F, g, size, align_corners: F.affine_grid_of(g, size, align_corners),
   jvp  = "linear")


# --------------------------------------------------------------------------- arguments

@public(method=False)
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """input (N, C, *space) at the positions of grid (N, *out, dims), in [-1, 1], last axis first.

    interpolation_mode: 0 linear, 1 nearest, 2 cubic. padding_mode: 0 zeros, 1 border, 2 reflection.
    nn.functional.grid_sample has names and defaults for them. Raises RuntimeError for sizes that do
    not fit.

    >>> import retrograd as torch
    >>> x = torch.tensor([[[[1., 3.]]]])
    >>> torch.grid_sampler(x, torch.zeros(1, 1, 1, 2), 0, 0, True)     # halfway
    tensor([[[[2.]]]])
    """
    x, positions = input._data, grid._data
    if x.shape[:1] != positions.shape[:1]:
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but "
                           f"got input with sizes {list(x.shape)} and grid with sizes "
                           f"{list(positions.shape)}")
    if positions.shape[-1] != x.ndim - 2:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {x.ndim - 2} in last "
                           f"dimension, but got grid with sizes {list(positions.shape)}")
    if x.ndim not in (4, 5) or positions.ndim != x.ndim:
        raise RuntimeError("grid_sampler(): expected 4D or 5D input and grid with same number of "
                           f"dimensions, but got input with sizes {list(x.shape)} and grid with "
                           f"sizes {list(positions.shape)}")
    if x.ndim == 5 and interpolation_mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    check_one_dtype(input, grid)
    sample = T.grid_sampler_2d_of if x.ndim == 4 else T.grid_sampler_3d_of
    return sample(input, grid, interpolation_mode, padding_mode, bool(align_corners))


def _of_dimension(name, ndim):
    """grid_sampler for inputs of `ndim` dimensions only."""
    def sample(input, grid, interpolation_mode, padding_mode, align_corners):
        batches = input._data.shape[:1] == grid._data.shape[:1]
        if batches and ndim not in (input._data.ndim, grid._data.ndim):
            raise RuntimeError(f"{name}(): expected {ndim}D input and grid with same number of "
                               "dimensions, but got input with sizes "
                               f"{list(input._data.shape)} and grid with sizes "
                               f"{list(grid._data.shape)}")
        return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    sample.__name__ = sample.__qualname__ = name
    sample.__doc__ = f"""grid_sampler for inputs of {ndim} dimensions only: RuntimeError for others.

    >>> import retrograd as torch
    >>> pixels = torch.tensor([1., 2.]).reshape{(1,) * (ndim - 1) + (2,)}
    >>> middle = torch.zeros{(1,) * (ndim - 1) + (ndim - 2,)}
    >>> torch.{name}(pixels, middle, 0, 0, False).item()
    1.5
    """
    return public(sample, method=False)


for _name, _ndim in (("grid_sampler_2d", 4), ("grid_sampler_3d", 5),
                     ("_grid_sampler_2d_cpu_fallback", 4)):
    _of_dimension(_name, _ndim)


@public(method=False)
def affine_grid_generator(theta, size, align_corners):
    """The grid at which grid_sampler applies the affine maps theta (N, 2, 3) or (N, 3, 4).

    nn.functional.affine_grid with `align_corners` given. The grid is (N, *space, dims).

    >>> import retrograd as torch
    >>> turn = torch.tensor([[[0., -1., 0.], [1., 0., 0.]]])
    >>> torch.affine_grid_generator(turn, [1, 1, 1, 2], False)
    tensor([[[[ 0.0000, -0.5000],
              [ 0.0000,  0.5000]]]])
    """
    size = tuple(size)
    check_affine(theta._data.shape, size)
    return T.affine_grid_of(theta, size, bool(align_corners))


def check_affine(theta, size):
    """Raise unless theta, of this shape, has a matrix for each image of this size."""
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    wrap_dim(2, len(theta))
    if len(theta) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    wanted, given = [size[0], len(size) - 1], [theta[0], theta[2]]
    if given != wanted:
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"{wanted} but got: {given}.")
    if theta[1] != wanted[1] - 1:
        raise RuntimeError(f"shape '{[*size[:1], *size[2:], len(size) - 2]}' is invalid for input "
                           f"of size {size[0] * math.prod(size[2:]) * theta[1]}")
