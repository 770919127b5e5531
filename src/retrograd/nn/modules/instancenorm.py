"""Instance normalization (Ulyanov et al. 2016): every sample and channel by itself."""
from __future__ import annotations

import warnings

from retrograd.nn import functional as F
from retrograd.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d",
           "LazyInstanceNorm2d", "LazyInstanceNorm3d"]


class _InstanceNorm(_NormBase):
    _spatial = 0

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False,
                 track_running_stats=False, device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype,
                         bias=bias)

    def _get_no_batch_dim(self):
        return self._spatial + 1

    def _check_input_dim(self, input):
        n = self._spatial
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")

    def _apply_instance_norm(self, input):
        momentum = self.momentum if self.momentum is not None else 0.0
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats, momentum, self.eps)

    def forward(self, input):
        self._check_input_dim(input)
        unbatched = input.dim() == self._get_no_batch_dim()
        channels = input.size(input.dim() - self._get_no_batch_dim())
        if channels != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={0 if unbatched else 1} to match "
                                 f"num_features ({self.num_features}), but got: {channels}.")
            warnings.warn(f"input's size at dim={0 if unbatched else 1} does not match "
                          "num_features. You can silence this warning by not passing in "
                          "num_features, which is not used because affine=False", stacklevel=2)
        if unbatched:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys,
                              unexpected_keys, error_msgs):
        version = local_metadata.get("version", None)
        # very old checkpoints hold running statistics that were never used
        if version is None and not self.track_running_stats:
            stale = [prefix + name for name in ("running_mean", "running_var")
                     if prefix + name in state_dict]
            if stale:
                named = " and ".join(f'"{key}"' for key in stale)
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {named} for {self.__class__.__name__} "
                    "with track_running_stats=False. If state_dict is a checkpoint saved before "
                    "0.4.0, this may be expected because "
                    f"{self.__class__.__name__} does not track running stats by default since "
                    "0.4.0. Please remove these keys from state_dict. If the running stats are "
                    "actually needed, instead set track_running_stats=True in "
                    f"{self.__class__.__name__} to enable them. See the documentation of "
                    f"{self.__class__.__name__} for details.")
                for key in stale:
                    state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
                                      unexpected_keys, error_msgs)


class InstanceNorm1d(_InstanceNorm):
    """(x - mean) / sqrt(var + eps) for each channel of each example (Ulyanov et al. 2016).

    (N, C, L) or (C, L), of the same shape. With `affine` the result is multiplied by weight and
    bias is added, both (C,). With `track_running_stats` evaluation takes the running averages of
    mean and var. Raises ValueError for other dimensions, and for one element a channel in training.

    >>> import retrograd as torch
    >>> torch.nn.InstanceNorm1d(1)(torch.tensor([[[1., 3.]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    _spatial = 1


class InstanceNorm2d(_InstanceNorm):
    """(x - mean) / sqrt(var + eps) for each channel of each example (Ulyanov et al. 2016).

    (N, C, H, W) or (C, H, W), of the same shape. With `affine` the result is multiplied by weight
    and bias is added, both (C,). With `track_running_stats` evaluation takes the running averages
    of mean and var. Raises ValueError for other dimensions, and for one element a channel in
    training.

    >>> import retrograd as torch
    >>> torch.nn.InstanceNorm2d(2)(torch.ones(1, 2, 3, 3)).shape
    torch.Size([1, 2, 3, 3])
    """

    _spatial = 2


class InstanceNorm3d(_InstanceNorm):
    """(x - mean) / sqrt(var + eps) for each channel of each example (Ulyanov et al. 2016).

    (N, C, D, H, W) or (C, D, H, W), of the same shape. With `affine` the result is multiplied by
    weight and bias is added, both (C,). With `track_running_stats` evaluation takes the running
    averages of mean and var. Raises ValueError for other dimensions, and for one element a channel
    in training.

    >>> import retrograd as torch
    >>> torch.nn.InstanceNorm3d(2)(torch.ones(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    _spatial = 3


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm1d that takes `num_features` from its first input.

    Until then its parameters and buffers are uninitialized and have no shape. It then is an
    InstanceNorm1d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyInstanceNorm1d()
    >>> layer(torch.ones(5, 3, 4)).shape, layer.num_features
    (torch.Size([5, 3, 4]), 3)
    """

    cls_to_become = InstanceNorm1d
    _spatial = 1


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm2d that takes `num_features` from its first input.

    Until then its parameters and buffers are uninitialized and have no shape. It then is an
    InstanceNorm2d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyInstanceNorm2d()
    >>> layer(torch.ones(5, 3, 4, 4)).shape, layer.num_features
    (torch.Size([5, 3, 4, 4]), 3)
    """

    cls_to_become = InstanceNorm2d
    _spatial = 2


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm3d that takes `num_features` from its first input.

    Until then its parameters and buffers are uninitialized and have no shape. It then is an
    InstanceNorm3d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyInstanceNorm3d()
    >>> layer(torch.ones(5, 3, 4, 4, 4)).shape, layer.num_features
    (torch.Size([5, 3, 4, 4, 4]), 3)
    """

    cls_to_become = InstanceNorm3d
    _spatial = 3
