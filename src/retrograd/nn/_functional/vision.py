"""Images: resizing, and sampling at a grid."""
from __future__ import annotations

import math
from operator import index

import retrograd as torch
from retrograd._tensor import Tensor
from retrograd._warnings import warn
from retrograd.nn._functional._operators import ops
from retrograd.nn._functional.loss import check_flag
from retrograd.nn._functional.pool import adaptive_avg_pool2d, adaptive_avg_pool3d

_CORNERS = ("Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.")
_UNIT_SIZE = ("Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
              "align_corners=True. This is not an intended use case of affine_grid. See the "
              "documentation of affine_grid for details.")


_MEANS = (torch.adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)      # mode "area"
_LINEAR_MODES = {3: "linear", 4: "bilinear", 5: "trilinear"}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """Resize the spatial dimensions of (N, C, d...) to `size` or by `scale_factor`.

    Args:
        mode: 'nearest', 'nearest-exact', 'linear' (3-D input), 'bilinear', 'bicubic' (4-D),
            'lanczos' (4-D), 'trilinear' (5-D) or 'area'.
        align_corners: whether the corner pixels' centres coincide (interpolating modes).
        recompute_scale_factor: use the scale that the rounded output size implies.
        antialias: filter before making smaller ('bilinear', 'bicubic', and for 'lanczos' always).

    Raises ValueError unless either size or scale_factor is given, NotImplementedError for a mode
    that does not have the input's number of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.interpolate(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: "
                             "linear | bilinear | bicubic | trilinear")
    elif align_corners is None:
        align_corners = False
    size, scales = _output_size(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if scales is not None and (recompute_scale_factor or mode == "area"):
        size = [math.floor(float(n) * s) for n, s in zip(input.shape[2:], scales, strict=True)]
        scales = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes "
                         "and requires a 4-D tensor as input")
    if mode == "lanczos" and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    return _resize(input, size, scales, mode, align_corners, antialias)


def _output_size(input, size, scale_factor):
    """(size, None) or (None, scales), a number for each spatial dimension."""
    spatial = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * spatial, None
        if len(size) != spatial:
            raise ValueError("Input and output must have the same number of spatial dimensions, "
                             f"{_but_got(input)} output size of {size}. "
                             "Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                             "output size in (o1, o2, ...,oK) format.")
        if not all(not n.is_floating_point() if isinstance(n, Tensor) else hasattr(n, "__index__")
                   for n in size):
            raise TypeError("expected size to be one of int or Tuple[int] or Tuple[int, int] or "
                            "Tuple[int, int, int], but got size with types "
                            f"{[type(n) for n in size]}")
        return [index(n) for n in size], None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if not isinstance(scale_factor, (list, tuple)):
        return None, [scale_factor] * spatial
    if len(scale_factor) != spatial:
        raise ValueError("Input and scale_factor must have the same number of spatial dimensions, "
                         f"{_but_got(input)} scale_factor of shape {scale_factor}. "
                         "Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                         "scale_factor in (s1, s2, ...,sK) format.")
    return None, list(scale_factor)


def _but_got(input):
    return f"but got input with spatial dimensions of {list(input.shape[2:])} and"


def _resize(input, size, scales, mode, align_corners, antialias):
    n = input.dim()
    spatial = n - 2
    if spatial in (1, 2, 3):
        if mode == "nearest":
            return getattr(ops, f"upsample_nearest{spatial}d")(input, size, scales)
        if mode == "nearest-exact":
            return getattr(ops, f"_upsample_nearest_exact{spatial}d")(input, size, scales)
        if mode == "area":
            return _MEANS[spatial - 1](input, size)
        if mode in ("bicubic", "lanczos") and n == 4:
            name = f"_upsample_{mode}2d_aa" if antialias else "upsample_bicubic2d"
            return getattr(ops, name)(input, size, align_corners, scales)
        if mode == _LINEAR_MODES[n]:
            name = "_upsample_bilinear2d_aa" if antialias else f"upsample_{mode}{spatial}d"
            return getattr(ops, name)(input, size, align_corners, scales)
        needed = {m: d for d, m in _LINEAR_MODES.items()}.get(str(mode))
        if needed is not None:
            raise NotImplementedError(f"Got {n}D input, but {mode} mode needs {needed}D input")
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported"
        f" (got {n}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
        f"lanczos | area | nearest-exact (got {mode})"
    )


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of interpolate.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.nn.functional.upsample(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` "
         "instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """The old name of interpolate with mode 'nearest'.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.nn.functional.upsample_nearest(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` "
         "instead.")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """The old name of interpolate with mode 'bilinear' and aligned corners.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.nn.functional.upsample_bilinear(torch.tensor([[[[1., 2.]]]]), size=(1, 3))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """
    warn("`nn.functional.upsample_bilinear` is deprecated. Use "
         "`nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Values of images at the points of a grid: (N, C, H, W), (N, h, w, 2) -> (N, C, h, w).

    A point is (x, y), each in [-1, 1] from edge to edge; with `align_corners` from the center of
    the first pixel to that of the last. `mode` is 'bilinear', 'nearest' or 'bicubic',
    `padding_mode` for points outside 'zeros', 'border' or 'reflection'. For 5-D input the grid is
    (N, d, h, w, 3) (Jaderberg et al. 2015). Raises RuntimeError for shapes that do not fit.

    >>> import retrograd as torch
    >>> image, middle = torch.arange(4.).reshape(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)
    >>> torch.nn.functional.grid_sample(image, middle, align_corners=False)
    tensor([[[[1.5000]]]])
    """
    if str(mode) not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' "
                         f"or 'bicubic', but got: '{mode}'")
    if str(padding_mode) not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', "
                         f"'border', or 'reflection', but got: '{padding_mode}'")
    if align_corners is None:
        warn(_CORNERS)
        align_corners = False
    check_flag("grid_sampler", "align_corners", 5, align_corners)
    return ops.grid_sampler(input, grid, GRID_SAMPLE_INTERPOLATION_MODES[mode],
                            GRID_SAMPLE_PADDING_MODES[padding_mode], align_corners)


def affine_grid(theta, size, align_corners=None):
    """The grid that makes grid_sample apply the affine maps theta: (N, 2, 3) -> (N, H, W, 2).

    Place (x, y) of a result of `size` (N, C, H, W) is read at theta @ (x, y, 1), with coordinates
    in [-1, 1]; in three dimensions (N, 3, 4) -> (N, D, H, W, 3). With `align_corners` -1 and 1 are
    the centers of the first and the last pixel, else their outer edges (Jaderberg et al. 2015).
    Raises ValueError for integers and for shapes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.affine_grid(torch.eye(2, 3)[None], (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    if align_corners is None:
        warn(_CORNERS)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    spatial = len(size) - 2
    if spatial not in (2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine "
                                  f"transforms, respectively. Got size {size}.")
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (spatial, spatial + 1):
        raise ValueError(f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x"
                         f"{spatial + 1} for size {size}. Got {theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if align_corners and min(size[2:]) == 1:
        warn(_UNIT_SIZE)
    check_flag("affine_grid_generator", "align_corners", 3, align_corners)
    return ops.affine_grid_generator(theta, size, align_corners)
