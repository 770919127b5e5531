"""Resizing and padding of images.

Both are linear: each pixel of the result is a sum of pixels, each times a number that depends on
places alone. The gradient takes the same sums in the other direction (upsample_backward,
pad_by_backward), and the gradient of that is the resizing again.
"""

from __future__ import annotations

from functools import lru_cache

from . import nn_samples as S
from .arguments import invalid_combination
from .declare import F as T
from .declare import op
from .factory import fitting
from .public import native, public

# --------------------------------------------------------------------------- resizing

op("upsample(self | size, mode, align_corners, scales)", "UpsampleBackward0", public=False,
   jvp="linear", samples=lambda: [(S.normal(1, 2, 3, 4), (5, 6), "cubic", False, None)],
   self = lambda F, g, self_shape, mode, align_corners, scales:
              F.upsample_backward(g, self_shape, mode, align_corners, scales))

op("upsample_backward(grad | shape, mode, align_corners, scales)", "UpsampleBackwardBackward0",
   public=False, jvp="linear",
   samples=lambda: [(S.normal(1, 2, 5, 6), (1, 2, 3, 4), "linear", False, None)],
   grad = lambda F, g, grad_shape, mode, align_corners, scales:
              F.upsample(g, grad_shape[2:], mode, align_corners, scales))


def resizing(name, grad_fn, mode, corners):
    """Declare resize_<name>; only the smooth ways have align_corners."""
    dims = next(d for d in (1, 2, 3) if f"{d}d" in name)
    if corners:
        op(f"resize_{name}(self | output_size, align_corners, scales)", grad_fn, public=False,
           jvp="linear",
           samples=lambda: [(S.normal(1, 2, *(3,) * dims), (5,) * dims, True, None)],
           self = lambda F, g, self_shape, align_corners, scales:
                      F.upsample_backward(g, self_shape, mode, align_corners, scales))
    else:
        op(f"resize_{name}(self | output_size, scales)", grad_fn, public=False, jvp="linear",
           samples=lambda: [(S.normal(1, 2, *(3,) * dims), (5,) * dims, None)],
           self = lambda F, g, self_shape, scales:
                      F.upsample_backward(g, self_shape, mode, False, scales))


for _d in (1, 2, 3):
    resizing(f"nearest{_d}d", f"UpsampleNearest{_d}DBackward0", "nearest", False)
    resizing(f"nearest_exact{_d}d", f"UpsampleNearestExact{_d}DBackward0", "nearest-exact", False)
SMOOTH = {"linear1d": "Linear1D", "bilinear2d": "Bilinear2D", "trilinear3d": "Trilinear3D",
          "bicubic2d": "Bicubic2D", "bilinear2d_aa": "Bilinear2DAa", "bicubic2d_aa": "Bicubic2DAa",
          "lanczos2d_aa": "Lanczos2DAa"}
for _name, _written in SMOOTH.items():
    _mode = next(m for m in ("cubic", "lanczos", "linear") if m in _name)
    _mode += "-aa" * _name.endswith("aa")
    resizing(_name, f"Upsample{_written}Backward0", _mode, True)

# --------------------------------------------------------------------------- padding

op("pad_by(self | pads, mode)", "PadBackward0", public=False, jvp="linear",
   samples=lambda: [(S.normal(2, 3, 4), ((1, 2), (0, 3)), mode)
                    for mode in ("reflect", "replicate", "circular")][1:],
   self = lambda F, g, self, pads, mode: F.pad_by_backward(g, self, pads, mode))

op("pad_by_backward(grad, self | pads, mode)", "PadBackwardBackward0", public=False,
   samples=lambda: [(S.normal(2, 6, 7), S.normal(2, 3, 4), ((1, 2), (2, 1)), "reflect")],
   grad = lambda F, g, pads, mode: F.pad_by(g, pads, mode),
   self = lambda F, g: F.zeros_like(g),
   jvp  = lambda F, grad, self, grad_t, self_t, pads, mode:
              None if grad_t is None else F.pad_by_backward(grad_t, self, pads, mode))


def padding(name, grad_fn, mode):
    dims = int(name[-2])
    op(f"{name}(self | padding)", grad_fn, public=False, jvp="linear",
       samples=lambda: [(S.normal(1, *(3,) * dims), ((1, 2),) * dims)],
       self = lambda F, g, self, padding: F.pad_by_backward(g, self, padding, mode))


for _d in (1, 2, 3):
    padding(f"reflect_{_d}d", f"ReflectionPad{_d}DBackward0", "reflect")
    padding(f"replicate_{_d}d", f"ReplicationPad{_d}DBackward0", "replicate")

op("pad_constant(self | pad, value)", "ConstantPadNdBackward0", public=False,
   samples=lambda: [(S.normal(2, 3), (1, -1, 0, 2), 0.5)],
   self = lambda F, g, pad: F.pad_constant(g, tuple(-p for p in pad), 0.0),
   jvp  = lambda F, self, self_t, pad, value: F.pad_constant(self_t, pad, 0.0))


# --------------------------------------------------------------------------- arguments

def target_size(name, input, size, scales, *corners):
    """(size, scales), where the size is computed from the scales if it is not given."""
    shape = input._data.shape
    if size is None and scales is not None and NUMBERS.issuperset(map(type, scales)):
        return _scaled(shape, tuple(scales))
    if any(isinstance(n, (float, str)) for n in size or ()) or (
            any(isinstance(s, str) for s in scales or ())):
        raise unfit(name, (input, size, *corners, scales))
    if size is None:
        size = _times(shape, scales)
    size = tuple(int(n) for n in size)
    if any(abs(n) >= 1 << 63 for n in size):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    check_sizes(shape, size)
    return size, None if scales is None else tuple(float(s) for s in scales)


NUMBERS = frozenset((int, float))


@lru_cache(maxsize=256)
def _scaled(shape, scales):
    """target_size() of an array of this shape."""
    size = _times(shape, scales)
    if any(n >= 1 << 63 for n in size):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    check_sizes(shape, size)
    return size, tuple(map(float, scales))


def _times(shape, scales):
    return tuple([int(n * s) for n, s in zip(shape[2:], scales, strict=True)])


@lru_cache(maxsize=256)
def check_sizes(shape, size):
    """RuntimeError where there are no pixels, or would be none."""
    space = shape[2:]
    if any(n <= 0 for n in (*space, *size)):
        names, sizes = (", ".join(f"{axis}: {n}" for axis, n in zip(
            "DHW"[-len(space):], one, strict=True)) for one in (space, size))
        also = "and " * (len(space) == 1)
        raise RuntimeError("Input and output sizes should be greater than 0, but got input "
                           f"({names}) {also}output ({sizes})")
    if not shape[1]:
        raise RuntimeError(f"Non-empty {len(shape)}D data tensor expected but got a tensor "
                           f"with sizes {list(shape)}")


def unfit(name, args):
    """The TypeError for sizes that are no integers, or scales that are no numbers."""
    axes = {"1": [""], "2": ["_h", "_w"], "3": ["_d", "_h", "_w"]}[name.removesuffix("_aa")[-2]]
    first = "Tensor input, tuple of ints output_size, " + "bool align_corners, " * (len(args) > 3)
    each = ", ".join(f"float scales{axis} = None" for axis in axes)
    ways = [f"{first}tuple of floats scale_factors", f"{first}{each}, *, Tensor out = None"]
    return invalid_combination(name, args, {}, ways, handed_on=True)


def _nearest(public_name, raw):
    def upsample(input, output_size=None, scale_factors=None):
        """Resized by taking the nearest pixel."""
        return getattr(T, raw)(input, *target_size(public_name, input, output_size,
                                                   scale_factors))
    upsample.__name__ = upsample.__qualname__ = public_name
    native(upsample)


def _smooth(public_name, raw):
    def upsample(input, output_size=None, align_corners=False, scale_factors=None):
        """The input resized to output_size, or by scale_factors, by interpolation."""
        size, scales = target_size(public_name, input, output_size, scale_factors, align_corners)
        return getattr(T, raw)(input, size, bool(align_corners), scales)
    upsample.__name__ = upsample.__qualname__ = public_name
    native(upsample)


for _d in (1, 2, 3):
    _nearest(f"upsample_nearest{_d}d", f"resize_nearest{_d}d")
    _nearest(f"_upsample_nearest_exact{_d}d", f"resize_nearest_exact{_d}d")
for _name in SMOOTH:
    _smooth(("_" if _name.endswith("aa") else "") + f"upsample_{_name}", f"resize_{_name}")


def _pairs(pad):
    """(last before, last after, ...) as ((before, after), ...) from the first axis on."""
    return tuple((int(pad[i]), int(pad[i + 1])) for i in range(len(pad) - 2, -1, -2))


def check_filled(shape, dims):
    """RuntimeError for an empty input, except for an empty batch."""
    if not all(shape[1 if len(shape) == dims + 2 else 0:]):
        raise RuntimeError(f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly "
                           "0 batch size and other non-zero dimensions for input, but got: "
                           f"{list(shape)}")


def check_result(shape, pads):
    """RuntimeError for pads that take all of the input away."""
    dims = len(pads)
    out = [n + a + b for n, (a, b) in zip(shape[-dims:], pads, strict=True)]
    if any(n < 1 for n in out):
        sizes = [" ".join(f"{axis}: {n}" for axis, n in zip("DHW"[-dims:], values, strict=True))
                 for values in (shape[-dims:], out)]
        given = sizes[0].replace(" W", ", W")
        raise RuntimeError(f"input ({given}) is too small. Calculated output {sizes[1]}")


def check_reflected(shape, pads):
    """RuntimeError for pads that reach beyond what there is to reflect."""
    for k, (before, after) in enumerate(reversed(pads)):
        axis = len(shape) - 1 - k
        if before >= shape[axis] or after >= shape[axis]:
            raise RuntimeError(f"Argument #{4 + 2 * k}: Padding size should be less than the "
                               "corresponding input dimension, but got: padding "
                               f"({before}, {after}) at dimension {axis} of input {list(shape)}")


@lru_cache(maxsize=256)
def _edges(shape, pad, reflected):
    """_pairs() of numbers by which an array of this shape can be reflected or replicated."""
    pads = _pairs(pad)
    check_filled(shape, len(pads))
    if reflected:
        check_reflected(shape, pads)
    check_result(shape, pads)
    return pads


def _reflection(dims):
    def pad_by(input, pad):
        """The input, reflected at its edges without repeating them."""
        pads = _edges(input._data.shape, tuple(map(int, pad)), True)
        return getattr(T, f"reflect_{dims}d")(input, pads)
    pad_by.__name__ = pad_by.__qualname__ = f"reflection_pad{dims}d"
    return native(pad_by)


def _replication(dims):
    def pad_by(input, pad):
        """The input, its edges repeated."""
        pads = _edges(input._data.shape, tuple(map(int, pad)), False)
        return getattr(T, f"replicate_{dims}d")(input, pads)
    pad_by.__name__ = pad_by.__qualname__ = f"replication_pad{dims}d"
    return native(pad_by)


reflection_pad1d, reflection_pad2d, reflection_pad3d = (_reflection(d) for d in (1, 2, 3))
replication_pad1d, replication_pad2d, replication_pad3d = (_replication(d) for d in (1, 2, 3))


@public(method=False)
def constant_pad_nd(input, pad, value=0):
    """The input with `pad` (last dimension first: before, after) elements of `value` around it.

    Negative numbers take elements away. Raises RuntimeError where nothing would be left.

    >>> import retrograd as torch
    >>> torch.constant_pad_nd(torch.ones(2), (1, 1))
    tensor([0., 1., 1., 0.])
    """
    pad = tuple([int(p) for p in pad])
    _check_frame(input._data.shape, pad)
    return T.pad_constant(input, pad, fitting(value, input, "constant_pad_nd"))


@lru_cache(maxsize=256)
def _check_frame(shape, pad):
    """RuntimeError for a padding that an array of this shape cannot have."""
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * len(shape):
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of "
                           f"the input. Pad length is {len(pad)} while the input has {len(shape)} "
                           "dimensions.")
    lead = len(shape) - len(pad) // 2
    for axis, (before, after) in enumerate(_pairs(pad), lead):
        if shape[axis] + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
