"""Puts operators into Tensor's namespace and the package's, building each at its first use."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType

from .._dtype import default
from .._tensor import Tensor
from .declare import REGISTRY
from .public import ALIASES, FUNCTIONS, METHODS, reporting

FAMILIES = (
    "arithmetic",
    "division",
    "powers",
    "pointwise",
    "comparison",
    "binary",
    "bitwise",
    "complex",
    "reduce",
    "variance",
    "extreme",
    "views",
    "shape",
    "transpose",
    "parts",
    "split",
    "copies",
    "join",
    "rearrange",
    "facts",
    "convert",
    "interop",
    "memory",
    "layouts",
    "indexing",
    "gather_scatter",
    "slices",
    "masks",
    "sort",
    "counting",
    "scan",
    "special",
    "linalg",
    "decompose",
    "solve",
    "factor",
    "lu",
    "matrix",
    "products",
    "ldl",
    "segment",
    "internal",
    "einsum",
    "fft",
    "stft",
    "differences",
    "view_copies",
    "statistics",
    "matmul",
    "addmm",
    "random",
    "tables",
    "activation",
    "activation_backward",
    "conv",
    "pool",
    "fold",
    "norm",
    "loss",
    "embedding",
    "attention",
    "recurrent",
    "resize",
    "gridsample",
    "shuffle",
    "distance",
    "quantize",
)
CREATION = ("_creation", "_from_data", "_legacy", "_random", "_windows", "ops.apply")

# Names that live in a module of their own and are looked up there when first used.
ELSEWHERE = {
    "save": "serialization", "load": "serialization",
    "from_dlpack": "utils.dlpack", "to_dlpack": "utils.dlpack", "vmap": "func",
    "compile": "compiler", "install": "_install", "uninstall": "_install",
    "load_ipython_extension": "_notebook",
    "set_warn_always": "_warnings", "is_warn_always_enabled": "_warnings",
    **dict.fromkeys(("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor",
                     "sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor",
                     "_convert_indices_from_coo_to_csr", "_convert_indices_from_csr_to_coo"),
                    "sparse"),
    **dict.fromkeys(("_assert", "sym_int", "sym_float", "sym_max", "sym_min", "sym_not",
                     "sym_sum", "_shape_as_tensor"), "_symbolic"),
    **dict.fromkeys(("SymInt", "SymFloat", "SymBool"), "types"),
    "Future": "futures", "ScriptModule": "jit", "ScriptFunction": "jit",
    "typename": "_utils", "UntypedStorage": "storage", "TypedStorage": "storage",
    "StorageBase": "storage",
    "is_storage": "storage", "DeviceObjType": "types",
    "set_printoptions": "_tensor_str", "get_printoptions": "_tensor_str",
    "printoptions": "_tensor_str",
    **dict.fromkeys(("_check", "_check_with", "_check_index", "_check_value", "_check_type",
                     "_check_not_implemented", "_check_is_size", "_check_tensor_all",
                     "_assert_async", "_assert_tensor_metadata"), "_checks"),
    **dict.fromkeys(("Stream", "Event", "OutOfMemoryError", "AcceleratorError",
                     "get_device_module"), "accelerator"),
    "cond": "_control_flow", "while_loop": "_control_flow",
    "svd_lowrank": "_lowrank", "pca_lowrank": "_lowrank",
    **dict.fromkeys(("PyTorchFileReader", "Tag", "TensorType", "DisableTorchFunction",
                     "DisableTorchFunctionSubclass"), "_C"),
    "GradScaler": "amp.grad_scaler", "lobpcg": "_lobpcg",
    **dict.fromkeys(("is_anomaly_enabled", "is_anomaly_check_nan_enabled", "set_anomaly_enabled"),
                    "autograd.anomaly_mode"),
    **dict.fromkeys(("Generator", "default_generator", "manual_seed", "seed", "initial_seed",
                     "get_rng_state", "set_rng_state"), "random"),
    **dict.fromkeys(("set_num_threads", "get_num_threads", "set_num_interop_threads",
                     "get_num_interop_threads", "set_flush_denormal",
                     "set_float32_matmul_precision", "get_float32_matmul_precision",
                     "use_deterministic_algorithms", "are_deterministic_algorithms_enabled",
                     "is_deterministic_algorithms_warn_only_enabled",
                     "set_deterministic_debug_mode", "get_deterministic_debug_mode",
                     "set_default_device", "get_default_device"), "_settings"),
    **dict.fromkeys(("autocast", "is_autocast_enabled", "is_autocast_cpu_enabled",
                     "get_autocast_dtype", "get_autocast_cpu_dtype", "get_autocast_gpu_dtype",
                     "is_autocast_cache_enabled", "clear_autocast_cache", "set_autocast_enabled",
                     "set_autocast_dtype", "set_autocast_cpu_enabled", "set_autocast_cpu_dtype",
                     "set_autocast_gpu_dtype", "set_autocast_cache_enabled",
                     "autocast_increment_nesting", "autocast_decrement_nesting"),
                    "amp.autocast_mode"),
    **dict.fromkeys(("conv_tbc", "cosine_similarity", "pairwise_distance", "rrelu", "rrelu_"),
                    "nn.functional"),
    **dict.fromkeys(("dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout",
                     "feature_alpha_dropout", "feature_alpha_dropout_", "instance_norm", "kl_div",
                     "poisson_nll_loss", "hinge_embedding_loss", "margin_ranking_loss",
                     "cosine_embedding_loss", "triplet_margin_loss", "norm_except_dim",
                     "_weight_norm", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell",
                     "lstm", "gru", "rnn_tanh", "rnn_relu"), "nn._toplevel"),
}

# Functions that `from torch import *` does not give: some are methods alone in PyTorch.
NOT_OFFERED = frozenset("""
    BFloat16Tensor Float8_e4m3fnTensor Float8_e4m3fnuzTensor Float8_e5m2Tensor Float8_e5m2fnuzTensor
    Float8_e8m0fnuTensor HalfTensor QInt32Tensor QInt8Tensor QUInt2x4Tensor QUInt4x2Tensor
    QUInt8Tensor StorageBase arctan2_ atan2_ bitwise_and_ bitwise_left_shift_ bitwise_not_
    bitwise_or_ bitwise_right_shift_ bitwise_xor_ broadcast_shapes contiguous digamma_ eig eq_
    erfinv_ floor_divide_ from_dlpack ge_ get_printoptions greater_ greater_equal_ gt_ heaviside_
    hypot_ igamma_ igammac_ install le_ less_ less_equal_ lgamma_ load_ipython_extension
    logical_and_ logical_not_ logical_or_ logical_xor_ lstsq lt_ lu masked_fill_ matrix_rank mul_
    multiply_ ne_ nelement nextafter_ not_equal_ pca_lowrank printoptions segment_reduce sgn_ sign_
    solve sum_to_size svd_lowrank symeig to_dlpack tril_ triu_ uninstall unique while_loop
    """.split())

# Methods that PyTorch also has as functions.
IN_PLACE_TOO = frozenset((
    "abs_", "addmv_", "as_strided_", "clamp_", "clamp_max_", "clamp_min_", "clip_",
    "conj_physical_", "detach", "detach_", "fill_", "ldexp_", "resize_as_", "round_", "zero_"))

OPERATORS = {     # x + y and the like: (declared operator, what of it)
    "__add__": ("add", "dunder"), "__radd__": ("add", "dunder"), "__sub__": ("sub", "dunder"),
    "__rsub__": ("rsub", "dunder"), "__mul__": ("mul", "dunder"), "__rmul__": ("mul", "dunder"),
    "__truediv__": ("div", "dunder"), "__eq__": ("eq", "dunder"), "__ne__": ("ne", "dunder"),
    "__lt__": ("lt", "dunder"), "__le__": ("le", "dunder"), "__gt__": ("gt", "dunder"),
    "__ge__": ("ge", "dunder"), "__neg__": ("neg", "neg"), "__abs__": ("abs", "abs"),
    "__iadd__": ("add", "dunder_"), "__isub__": ("sub", "dunder_"), "__imul__": ("mul", "dunder_"),
    "__itruediv__": ("div", "dunder_"), "__ifloordiv__": ("floor_divide", "dunder_"),
    "__and__": ("bitwise_and", "dunder"), "__rand__": ("bitwise_and", "dunder"),
    "__or__": ("bitwise_or", "dunder"), "__ror__": ("bitwise_or", "dunder"),
    "__xor__": ("bitwise_xor", "dunder"), "__rxor__": ("bitwise_xor", "dunder"),
    "__lshift__": ("bitwise_left_shift", "dunder"),
    "__rshift__": ("bitwise_right_shift", "dunder"),
    "__iand__": ("bitwise_and", "dunder_"), "__ior__": ("bitwise_or", "dunder_"),
    "__ixor__": ("bitwise_xor", "dunder_"),
    "__ilshift__": ("bitwise_left_shift", "dunder_"),
    "__irshift__": ("bitwise_right_shift", "dunder_"),
}


def methods() -> None:
    """Load the families and give Tensor their methods."""
    for family in FAMILIES:
        import_module(f"retrograd.ops.{family}")
    for module in CREATION:
        import_module(f"retrograd.{module}")
    for name, fn in METHODS.items():
        setattr(Tensor, name, fn)
    for op in REGISTRY.values():
        if op.public is not True:
            continue
        if op.name not in METHODS:
            setattr(Tensor, op.name, AtFirstUse(op, op.name, op.name))
        if op.inplace and op.name + "_" not in METHODS:
            setattr(Tensor, op.name + "_", AtFirstUse(op, op.name + "_", op.name + "_"))
    for family in ("transpose", "facts"):
        for name, get in import_module(f"retrograd.ops.{family}").PROPERTIES.items():
            setattr(Tensor, name, property(get))
    for dunder, (name, key) in OPERATORS.items():
        setattr(Tensor, dunder, AtFirstUse(REGISTRY[name], dunder, key))
    for new, old in ALIASES.items():
        setattr(Tensor, new, AtFirstUse(_declared(old), new, old, reporting))


def _declared(name):
    """The operator that has a function `name`; in-place names end in an underscore."""
    return REGISTRY.get(name) or REGISTRY[name[:-1]]


class AtFirstUse:
    """Stands in Tensor for a method whose operator is built when it is first looked up."""

    def __init__(self, op, attribute, key, wrap=None):
        self.op, self.attribute, self.key, self.wrap = op, attribute, key, wrap

    def __get__(self, instance, owner=None):
        fn = self.op.build()[self.key]
        if self.wrap is not None:
            fn = self.wrap(fn, self.attribute)
        setattr(Tensor, self.attribute, fn)
        return fn if instance is None else fn.__get__(instance, owner)


def function(name):
    """The public function torch.<name>, or None."""
    if name in IN_PLACE_TOO:
        return reporting(getattr(Tensor, name), name)
    found = FUNCTIONS.get(name) or _declared_function(name)
    if found is None and name in ALIASES:
        return reporting(_declared_function(ALIASES[name]), name)
    return found


def _declared_function(name):
    op = REGISTRY.get(name)
    if op is not None and op.public:
        return op.fn
    op = REGISTRY.get(name[:-1]) if name.endswith("_") else None
    return op.in_place if op is not None and op.public and op.inplace else None


def function_names():
    """Every public function's name."""
    declared = (op.name for op in REGISTRY.values() if op.public)
    return {*FUNCTIONS, *ALIASES, *IN_PLACE_TOO, *declared}


def offered():
    """The names of functions and of what lies elsewhere that `from torch import *` gives."""
    in_place = (op.name + "_" for op in REGISTRY.values() if op.public and op.inplace)
    storages = (f"{kind}Storage" for kind in (
        "Bool", "Byte", "Char", "Double", "Float", "Int", "Long", "Short"))
    names = {*function_names(), *in_place, *ELSEWHERE, *storages,
             "has_lapack", "has_mkl", "has_openmp"}
    return {name for name in names - NOT_OFFERED if name[0] != "_"}


def elsewhere(name):
    """A name of the package that another module defines, or None."""
    if name.startswith("_foreach_"):
        return import_module("retrograd._foreach").function(name)
    if name.startswith("has_"):
        return getattr(import_module("retrograd.backends._older_names"), name, None)
    module = ELSEWHERE.get(name)
    if name == "Storage":                           # of the default dtype, as torch.Tensor is
        return elsewhere(default.dtype.tensor_name + name)
    if name.endswith("Storage") and module is None:
        return import_module("retrograd.storage").legacy_class(name)
    return None if module is None else getattr(import_module(f"retrograd.{module}"), name)


def name_functions(package: str) -> None:
    """Let the functions that are there call `package` their module: see _install.py."""
    built = (fn for op in REGISTRY.values() for fn in (op.built or {}).values())
    for fn in (*FUNCTIONS.values(), *METHODS.values(), *built):
        if isinstance(fn, FunctionType) and fn.__module__ in ("retrograd", "torch"):
            fn.__module__ = package
