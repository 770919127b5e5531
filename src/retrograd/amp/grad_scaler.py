"""GradScaler: losses scaled up so that small half-precision gradients do not vanish."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import retrograd as torch

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far an optimizer's step has come."""

    READY, UNSCALED, STEPPED = range(3)


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scales losses by a factor that grows until gradients overflow (Micikevicius et al. 2018).

    `scale(loss).backward(); step(optimizer); update()`.  A step whose gradients have nan or
    infinity is skipped and the factor shrinks.  For device 'cuda' it is disabled, with PyTorch's
    warning, and passes everything through.

    >>> import retrograd as torch
    >>> torch.amp.GradScaler("cpu").get_scale()
    65536.0
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16,
                 growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        if device == "cuda" and enabled:
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  "
                          "Disabling.", UserWarning, stacklevel=2)
            enabled = False
        if enabled and growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled = enabled
        self._device = device
        self._init_scale, self._init_growth_tracker = float(init_scale), 0
        self._scale: torch.Tensor | None = None            # both are made by the first scale()
        self._growth_tracker: torch.Tensor | None = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(
            _refresh_per_optimizer_state)

    def scale(self, outputs: Any) -> Any:
        """A Tensor, or each of several, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            if self._scale is None:
                self._scale = torch.full((), self._init_scale, dtype=torch.float32, device="cpu")
                self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32,
                                                  device="cpu")
            return outputs * self._scale
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimizer's parameters by the factor, once before a step."""
        if not self._enabled:
            return
        scale = self._checked_scale("unscale_")
        optimizer_state = self._per_optimizer_states[id(optimizer)]
        if optimizer_state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        if optimizer_state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the "
                               "last update().")
        self._look_at(optimizer, scale.double().reciprocal().float(),
                      bool(getattr(optimizer, "defaults", {}).get("fused")))
        optimizer_state["stage"] = OptState.UNSCALED

    def _look_at(self, optimizer: Any, factor: torch.Tensor, allow_fp16: bool) -> None:
        """Multiply the gradients by a factor; note for each device whether one is not finite."""
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = self._unscale_grads_(
            optimizer, factor, torch.full((), 0.0, dtype=torch.float32, device="cpu"), allow_fp16)

    def _unscale_grads_(self, optimizer: Any, inv_scale: torch.Tensor, found_inf: torch.Tensor,
                        allow_fp16: bool) -> dict[torch.device, torch.Tensor]:
        found: dict[torch.device, torch.Tensor] = {}
        factor = inv_scale.item()
        with torch.no_grad():
            for param in (p for group in optimizer.param_groups for p in group["params"]):
                grad = param.grad
                if grad is None:
                    continue
                if grad.dtype == torch.float16 and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if grad.is_sparse and grad.dtype == torch.float16:
                    grad = param.grad = grad.coalesce()      # their sum may overflow
                values = grad._values() if grad.is_sparse else grad
                found[found_inf.device] = found_inf
                if not bool(values.isfinite().all()):
                    found_inf.fill_(1.0)
                if factor != 1:
                    grad.mul_(factor)
        return found

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(...)` unless a gradient is not finite; unscales first if need be.

        An optimizer with a true `_step_supports_amp_scaling` is called in any case: it finds the
        factor (None after unscale_) and what was found in its `grad_scale` and `found_inf`.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._checked_scale("step")
        optimizer_state = self._per_optimizer_states[id(optimizer)]
        if optimizer_state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_by_itself(optimizer, optimizer_state, *args, **kwargs)
        else:
            if optimizer_state["stage"] is OptState.READY:
                self.unscale_(optimizer)
            found = optimizer_state["found_inf_per_device"]
            if not found:
                raise AssertionError("No inf checks were recorded for this optimizer.")
            overflow = any(f.item() for f in found.values())
            result = None if overflow else optimizer.step(*args, **kwargs)
        optimizer_state["stage"] = OptState.STEPPED
        return result

    def _step_by_itself(self, optimizer: Any, optimizer_state: dict, *args: Any,
                        **kwargs: Any) -> Any:
        """The step of an optimizer that unscales its gradients, or leaves out the step, itself."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed "
                "optimizer. In the near future GradScaler registers `grad_scale: Tensor` and "
                "`found_inf: Tensor` to the passed optimizer and let the optimizer use them "
                "directly.", FutureWarning, stacklevel=3)
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        scale = self._checked_scale("step")
        before = getattr(optimizer, "grad_scale", None)
        if optimizer_state["stage"] is OptState.READY:
            self._look_at(optimizer, torch.ones((), device="cpu"), True)
            before = scale * (1 if before is None else before)
        optimizer.grad_scale = before
        optimizer.found_inf = sum(optimizer_state["found_inf_per_device"].values())
        result = optimizer.step(*args, **kwargs)
        del optimizer.grad_scale, optimizer.found_inf
        return result

    def update(self, new_scale: Any = None) -> None:
        """Shrink the factor after an overflow, grow it after `growth_interval` good steps."""
        if not self._enabled:
            return
        scale = self._checked_scale("update")
        if new_scale is None:
            self._adjust(scale)
        elif isinstance(new_scale, float):
            scale.fill_(new_scale)
        else:
            if new_scale.device.type != self._device or new_scale.numel() != 1 or (
                    new_scale.requires_grad):
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                    "torch.FloatTensor with requires_grad=False.")
            scale.copy_(new_scale)
        self._per_optimizer_states.clear()

    def _adjust(self, scale: torch.Tensor) -> None:
        found = [f for state in self._per_optimizer_states.values()
                 for f in state["found_inf_per_device"].values()]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        tracker = self._growth_tracker
        assert tracker is not None                  # made together with the factor
        if any(f.item() for f in found):
            scale.copy_(scale.double() * self._backoff_factor)
            tracker.zero_()
            return
        tracker.add_(1)
        if tracker.item() == self._growth_interval:
            grown = (scale.double() * self._growth_factor).float()
            if grown.isfinite():
                scale.copy_(grown)
            tracker.zero_()

    def _checked_scale(self, name: str) -> torch.Tensor:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration.")
        return self._scale

    def get_scale(self) -> float:
        """The factor; 1.0 if disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def get_growth_factor(self) -> float:
        """The number by which the factor is multiplied when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the number by which the factor is multiplied when it grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The number by which the factor is multiplied when it shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the number by which the factor is multiplied when it shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many good steps the factor grows."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes; empty if disabled."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
                "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what state_dict() returned."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from "
                               "a disabled instance of GradScaler.")
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(self._init_growth_tracker)

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else int(tracker.item())

    def __getstate__(self) -> dict[str, Any]:
        if not self._enabled:
            return self.__dict__
        if self._per_optimizer_states:
            raise AssertionError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at "
                "the end after scaler.update().")
        return {**self.__dict__, "_init_scale": self.get_scale(), "_scale": None,
                "_init_growth_tracker": self._get_growth_tracker(), "_growth_tracker": None}
