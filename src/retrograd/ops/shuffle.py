"""Moving elements between channels and space, and between groups of channels."""

from __future__ import annotations

from . import nn_samples as S
from .declare import F as T
from .declare import op
from .public import public

op("pixel_shuffle_by(self | upscale_factor)", "PixelShuffleBackward0", public=False,
   samples=lambda: [(S.normal(2, 8, 2, 3), 2)],
   self = lambda F, g, upscale_factor: F.pixel_unshuffle_by(g, upscale_factor),
   jvp  = "linear")

op("pixel_unshuffle_by(self | downscale_factor)", "PixelUnshuffleBackward0", public=False,
   samples=lambda: [(S.normal(2, 3, 4, 6), 2)],
   self = lambda F, g, downscale_factor: F.pixel_shuffle_by(g, downscale_factor),
   jvp  = "linear")

op("channel_shuffle_by(self | groups)", "ChannelShuffleBackward0", public=False,
   samples=lambda: [(S.normal(2, 6, 3), 2)],
   self = lambda F, g, groups: F.channel_shuffle_by(g, g.shape[1] // groups),
   jvp  = "linear")


@public(method=False)
def pixel_shuffle(input, upscale_factor):
    """(*, C r^2, H, W) -> (*, C, H r, W r) with r the factor (Shi et al. 2016).

    Raises RuntimeError unless r^2 divides the number of channels.

    >>> import retrograd as torch
    >>> torch.nn.functional.pixel_shuffle(torch.zeros(1, 8, 2, 3), 2).shape
    torch.Size([1, 2, 4, 6])
    """
    r, shape = upscale_factor, input._data.shape
    if len(shape) < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got "
                           f"input with {len(shape)} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if shape[-3] % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible "
                           "by the square of upscale_factor, but "
                           f"input.size(-3)={shape[-3]} is not divisible by {r * r}")
    return T.pixel_shuffle_by(input, r)


@public(method=False)
def pixel_unshuffle(input, downscale_factor):
    """(*, C, H r, W r) -> (*, C r^2, H, W) with r the factor: the inverse of pixel_shuffle.

    Raises RuntimeError for fewer than 3 dimensions, and unless r divides both sizes.

    >>> import retrograd as torch
    >>> torch.nn.functional.pixel_unshuffle(torch.ones(1, 1, 4, 4), 2).shape
    torch.Size([1, 4, 2, 2])
    """
    r, shape = downscale_factor, input._data.shape
    if len(shape) < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions, but got "
                           f"input with {len(shape)} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    for name, d in (("height", -2), ("width", -1)):
        if shape[d] % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by "
                               f"downscale_factor, but input.size({d})={shape[d]} is not "
                               f"divisible by {r}")
    return T.pixel_unshuffle_by(input, r)


@public(method=False)
def channel_shuffle(input, groups):
    """Deal the channels of (N, C, *) out of `groups` groups in turn (Zhang et al. 2018).

    Channel g + groups * i of the result is channel i of group g. Raises RuntimeError unless
    `groups` divides C, and for fewer than 3 dimensions.

    >>> import retrograd as torch
    >>> torch.channel_shuffle(torch.arange(4.).view(1, 4, 1, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    shape = input._data.shape
    if len(shape) < 3:
        raise RuntimeError("channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{list(shape)}")
    if groups <= 0:
        raise RuntimeError("Number of groups to divide channels in must be positive. "
                           f"Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError("Number of channels must be divisible by groups. Got "
                           f"{shape[1]} channels and {groups} groups.")
    return T.channel_shuffle_by(input, groups)


@public(method=False)
def native_channel_shuffle(input, groups):
    """channel_shuffle(), by the name of PyTorch's kernel: (N, C, *) -> (N, C, *).

    Raises RuntimeError unless `groups` divides C.

    >>> import retrograd as torch
    >>> torch.native_channel_shuffle(torch.arange(4).reshape(1, 4, 1, 1), 2).flatten()
    tensor([0, 2, 1, 3])
    """
    return channel_shuffle(input, groups)
