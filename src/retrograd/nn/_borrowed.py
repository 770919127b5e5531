"""Names that programs import from PyTorch's modules, though these only use them.

`from torch.nn.modules.conv import _size_2_t` and the like stand in much published code. Here a
module looks such a name up when a program first asks for it.
"""
from __future__ import annotations

from importlib import import_module

_TYPES = "retrograd.nn.common_types"
_HOMES = {
    "Tensor": "retrograd", "Size": "retrograd", "constant_": "retrograd.nn.init",
    "xavier_normal_": "retrograd.nn.init", "xavier_uniform_": "retrograd.nn.init",
    "NonDynamicallyQuantizableLinear": "retrograd.nn.modules.linear",
    "boolean_dispatch": "retrograd._jit_internal",
    **dict.fromkeys(("_single", "_pair", "_triple"), "retrograd.nn._tuples"),
    **dict.fromkeys(("has_torch_function", "has_torch_function_unary", "handle_torch_function",
                     "has_torch_function_variadic"), "retrograd.overrides"),
    **dict.fromkeys((
        "_size_any_t", "_size_1_t", "_size_2_t", "_size_3_t", "_size_4_t", "_size_6_t",
        "_size_any_opt_t", "_size_2_opt_t", "_size_3_opt_t", "_ratio_2_t", "_ratio_3_t",
        "_ratio_any_t"), _TYPES),
}
_NAMES = {
    "activation": "Tensor NonDynamicallyQuantizableLinear constant_ xavier_normal_ xavier_uniform_",
    "batchnorm": "Tensor",
    "conv": "Tensor _size_1_t _size_2_t _size_3_t",
    "dropout": "Tensor",
    "flatten": "Tensor",
    "fold": "Tensor _size_any_t",
    "functional": "Tensor _single _pair _triple boolean_dispatch has_torch_function "
                  "has_torch_function_unary has_torch_function_variadic handle_torch_function",
    "linear": "Tensor",
    "loss": "Tensor",
    "module": "Tensor",
    "normalization": "Tensor Size",
    "padding": "Tensor _size_2_t _size_4_t _size_6_t",
    "pooling": "Tensor _size_any_t _size_1_t _size_2_t _size_3_t _ratio_2_t _ratio_3_t "
               "_size_any_opt_t _size_2_opt_t _size_3_opt_t",
    "rnn": "Tensor",
    "transformer": "Tensor",
    "upsampling": "Tensor _size_2_t _size_any_t _ratio_2_t _ratio_any_t",
}


def borrows(module):
    """`__getattr__` of a module of torch.nn, which finds the names listed for it."""
    names = _NAMES[module.rpartition(".")[2]].split()

    def __getattr__(name):
        if name in names:
            return getattr(import_module(_HOMES[name]), name)
        shown = module.replace("retrograd", "torch", 1)
        raise AttributeError(f"module {shown!r} has no attribute {name!r}")

    return __getattr__
