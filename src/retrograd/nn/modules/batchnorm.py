"""Batch normalization (Ioffe and Szegedy 2015), eager and lazy."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn import functional as F
from retrograd.nn import init
from retrograd.nn._borrowed import borrows
from retrograd.nn.modules.lazy import LazyModuleMixin
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["BatchNorm1d", "LazyBatchNorm1d", "BatchNorm2d", "LazyBatchNorm2d", "BatchNorm3d",
           "LazyBatchNorm3d", "SyncBatchNorm"]

__getattr__ = borrows(__name__)


class _NormBase(Module):
    """What batch and instance norms share: weight and bias, running mean and variance."""

    _version = 2    # 2: num_batches_tracked
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = Parameter(torch.empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        if affine and bias:
            self.bias = Parameter(torch.empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        if track_running_stats:
            self.register_buffer("running_mean",
                                 torch.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var",
                                 torch.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked",
                                 torch.tensor(0, dtype=torch.long, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Forget the running mean and variance."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Weight 1, bias 0, no running statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys,
                              unexpected_keys, error_msgs):
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                own = self.num_batches_tracked
                known = own is not None and own.device != torch.device("meta")
                state_dict[key] = own if known else torch.tensor(0, dtype=torch.long)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
                                      unexpected_keys, error_msgs)


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        average = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:      # a cumulative average
                average = 1.0 / float(self.num_batches_tracked)
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if keep else None,
                            self.running_var if keep else None, self.weight, self.bias, of_batch,
                            average, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A norm that learns `num_features` from its first input."""

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
                 device=None, dtype=None, *, bias=True):
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        waiting = []
        if self.affine:
            waiting += [self.weight] + ([self.bias] if self.bias is not None else [])
        if self.track_running_stats:
            waiting += [self.running_mean, self.running_var]
        for tensor in waiting:
            tensor.materialize((self.num_features,))
        self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel of (N, C) or (N, C, L).

    The statistics are those of a channel over the batch and all places; arguments and errors are
    those of BatchNorm2d (Ioffe and Szegedy 2015).

    >>> import retrograd as torch
    >>> layer = torch.nn.BatchNorm1d(1)
    >>> layer(torch.tensor([[1.0], [3.0]])).detach()
    tensor([[-1.0000],
            [ 1.0000]])
    >>> layer.running_mean
    tensor([0.2000])
    """

    def _check_input_dim(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel of (N, C, H, W).

    In training mean and var are the batch's, and running_mean and running_var move towards them by
    `momentum`; in evaluation the running ones are used. weight starts as ones, bias as zeros.

    Args:
        momentum: None averages over all batches.
        affine: whether there are weight and bias.
        track_running_stats: whether there are running ones; else the batch's are always used.

    Raises ValueError for an input that has not 4 dimensions, or in training one number a channel.

    >>> import retrograd as torch
    >>> torch.nn.BatchNorm2d(3)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel of (N, C, D, H, W).

    The statistics are those of a channel over the batch and all places; arguments and errors are
    those of BatchNorm2d (Ioffe and Szegedy 2015).

    >>> import retrograd as torch
    >>> torch.nn.BatchNorm3d(2)(torch.ones(1, 2, 3, 3, 3)).shape
    torch.Size([1, 2, 3, 3, 3])
    """

    def _check_input_dim(self, input):
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """BatchNorm1d that takes `num_features` from its first input.

    Until then its parameters and buffers are uninitialized and have no shape. It then is a
    BatchNorm1d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyBatchNorm1d()
    >>> layer(torch.ones(5, 3)).shape, layer.num_features
    (torch.Size([5, 3]), 3)
    """

    cls_to_become = BatchNorm1d
    _check_input_dim = BatchNorm1d._check_input_dim


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """BatchNorm2d that takes `num_features` from its first input.

    Until then its parameters and buffers are uninitialized and have no shape. It then is a
    BatchNorm2d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyBatchNorm2d()
    >>> layer(torch.ones(5, 3, 4, 4)).shape, layer.num_features
    (torch.Size([5, 3, 4, 4]), 3)
    """

    cls_to_become = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """BatchNorm3d that takes `num_features` from its first input.

    Until then its parameters and buffers are uninitialized and have no shape. It then is a
    BatchNorm3d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyBatchNorm3d()
    >>> layer(torch.ones(5, 3, 4, 4, 4)).shape, layer.num_features
    (torch.Size([5, 3, 4, 4, 4]), 3)
    """

    cls_to_become = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim


class SyncBatchNorm(_BatchNorm):
    """Batch normalization across processes; needs GPUs, so forward raises here.

    >>> import retrograd as torch
    >>> torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.BatchNorm1d(2)).num_features
    2
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, process_group=None, device=None, dtype=None, *,
                 bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype,
                         bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input):
        self._check_input_dim(input)
        if self.training and torch.distributed.is_initialized():
            raise ValueError("SyncBatchNorm expected input tensor to be on GPU or NPU or "
                             "privateuseone")
        return super().forward(input)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """`module` with every batch norm in it replaced by a SyncBatchNorm."""
        result = module
        if isinstance(module, _BatchNorm):
            result = cls(module.num_features, module.eps, module.momentum, module.affine,
                         module.track_running_stats, process_group)
            if module.affine:
                with torch.no_grad():
                    result.weight, result.bias = module.weight, module.bias
            result.running_mean = module.running_mean
            result.running_var = module.running_var
            result.num_batches_tracked = module.num_batches_tracked
            result.training = module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result
