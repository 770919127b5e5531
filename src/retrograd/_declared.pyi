"""For type checkers and editors, written by tools/stubs.py from what is there."""

# ruff: noqa
from builtins import bool as _bool, float as _float, int as _int
from typing import Any

from .accelerator import AcceleratorError as AcceleratorError
from .types import DeviceObjType as DeviceObjType
from ._C import DisableTorchFunction as DisableTorchFunction
from ._C import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from .accelerator import Event as Event
from .futures import Future as Future
from .random import Generator as Generator
from .amp.grad_scaler import GradScaler as GradScaler
from .accelerator import OutOfMemoryError as OutOfMemoryError
from ._C import PyTorchFileReader as PyTorchFileReader
from .jit import ScriptFunction as ScriptFunction
from .jit import ScriptModule as ScriptModule
from ._attributes import Size as Size
from .storage import StorageBase as StorageBase
from .accelerator import Stream as Stream
from .types import SymBool as SymBool
from .types import SymFloat as SymFloat
from .types import SymInt as SymInt
from ._C import Tag as Tag
from ._tensor import Tensor as Tensor
from ._C import TensorType as TensorType
from .storage import TypedStorage as TypedStorage
from .storage import UntypedStorage as UntypedStorage
from . import accelerator as accelerator
from .nn._toplevel import alpha_dropout as alpha_dropout
from .nn._toplevel import alpha_dropout_ as alpha_dropout_
from . import amp as amp
from . import ao as ao
from ._settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from .amp.autocast_mode import autocast as autocast
from .amp.autocast_mode import autocast_decrement_nesting as autocast_decrement_nesting
from .amp.autocast_mode import autocast_increment_nesting as autocast_increment_nesting
from . import autograd as autograd
from . import backends as backends
from ._dtype import can_cast as can_cast
from ._attributes import channels_last as channels_last
from ._attributes import channels_last_3d as channels_last_3d
from .amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from . import cli as cli
from .compiler import compile as compile
from . import compiler as compiler
from ._control_flow import cond as cond
from ._attributes import contiguous_format as contiguous_format
from .nn.functional import conv_tbc as conv_tbc
from .nn._toplevel import cosine_embedding_loss as cosine_embedding_loss
from .nn.functional import cosine_similarity as cosine_similarity
from . import cpu as cpu
from . import cuda as cuda
from . import debug as debug
from .random import default_generator as default_generator
from ._attributes import device as device
from . import distributed as distributed
from . import distributions as distributions
from .nn._toplevel import dropout as dropout
from .nn._toplevel import dropout_ as dropout_
from ._dtype import dtype as dtype
from .autograd.grad_mode import enable_grad as enable_grad
from . import export as export
from .nn._toplevel import feature_alpha_dropout as feature_alpha_dropout
from .nn._toplevel import feature_alpha_dropout_ as feature_alpha_dropout_
from .nn._toplevel import feature_dropout as feature_dropout
from . import fft as fft
from ._dtype import finfo as finfo
from .utils.dlpack import from_dlpack as from_dlpack
from . import func as func
from . import functional as functional
from . import futures as futures
from . import fx as fx
from .amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from .amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from .amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from ._settings import get_default_device as get_default_device
from ._dtype import get_default_dtype as get_default_dtype
from ._settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from .accelerator import get_device_module as get_device_module
from ._settings import get_float32_matmul_precision as get_float32_matmul_precision
from ._settings import get_num_interop_threads as get_num_interop_threads
from ._settings import get_num_threads as get_num_threads
from ._tensor_str import get_printoptions as get_printoptions
from .random import get_rng_state as get_rng_state
from .nn._toplevel import gru as gru
from .nn._toplevel import gru_cell as gru_cell
from .nn._toplevel import hinge_embedding_loss as hinge_embedding_loss
from . import hub as hub
from ._dtype import iinfo as iinfo
from .autograd.grad_mode import inference_mode as inference_mode
from .random import initial_seed as initial_seed
from ._install import install as install
from .nn._toplevel import instance_norm as instance_norm
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from .amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from .amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from .amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from ._settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from .autograd.grad_mode import is_grad_enabled as is_grad_enabled
from .autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from .storage import is_storage as is_storage
from ._warnings import is_warn_always_enabled as is_warn_always_enabled
from ._attributes import jagged as jagged
from . import jit as jit
from . import kernels as kernels
from .nn._toplevel import kl_div as kl_div
from ._attributes import layout as layout
from . import library as library
from . import linalg as linalg
from .serialization import load as load
from ._notebook import load_ipython_extension as load_ipython_extension
from ._lobpcg import lobpcg as lobpcg
from .nn._toplevel import lstm as lstm
from .nn._toplevel import lstm_cell as lstm_cell
from .random import manual_seed as manual_seed
from .nn._toplevel import margin_ranking_loss as margin_ranking_loss
from . import masked as masked
from ._attributes import memory_format as memory_format
from . import monitor as monitor
from . import mps as mps
from . import mtia as mtia
from . import multiprocessing as multiprocessing
from . import nn as nn
from .autograd.grad_mode import no_grad as no_grad
from .nn._toplevel import norm_except_dim as norm_except_dim
from . import onnx as onnx
from . import ops as ops
from . import optim as optim
from . import overrides as overrides
from .nn.functional import pairwise_distance as pairwise_distance
from ._lowrank import pca_lowrank as pca_lowrank
from .nn._toplevel import poisson_nll_loss as poisson_nll_loss
from ._attributes import preserve_format as preserve_format
from ._tensor_str import printoptions as printoptions
from . import profiler as profiler
from ._dtype import promote_types as promote_types
from . import quantization as quantization
from . import quasirandom as quasirandom
from . import random as random
from . import return_types as return_types
from .nn._toplevel import rnn_relu as rnn_relu
from .nn._toplevel import rnn_relu_cell as rnn_relu_cell
from .nn._toplevel import rnn_tanh as rnn_tanh
from .nn._toplevel import rnn_tanh_cell as rnn_tanh_cell
from .nn.functional import rrelu as rrelu
from .nn.functional import rrelu_ as rrelu_
from .serialization import save as save
from .random import seed as seed
from . import serialization as serialization
from .autograd.anomaly_mode import set_anomaly_enabled as set_anomaly_enabled
from .amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from .amp.autocast_mode import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from .amp.autocast_mode import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from .amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from .amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from .amp.autocast_mode import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from ._settings import set_default_device as set_default_device
from ._dtype import set_default_dtype as set_default_dtype
from ._settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from ._settings import set_float32_matmul_precision as set_float32_matmul_precision
from ._settings import set_flush_denormal as set_flush_denormal
from .autograd.grad_mode import set_grad_enabled as set_grad_enabled
from ._settings import set_num_interop_threads as set_num_interop_threads
from ._settings import set_num_threads as set_num_threads
from ._tensor_str import set_printoptions as set_printoptions
from .random import set_rng_state as set_rng_state
from ._warnings import set_warn_always as set_warn_always
from . import signal as signal
from . import sparse as sparse
from ._attributes import sparse_bsc as sparse_bsc
from .sparse import sparse_bsc_tensor as sparse_bsc_tensor
from ._attributes import sparse_bsr as sparse_bsr
from .sparse import sparse_bsr_tensor as sparse_bsr_tensor
from .sparse import sparse_compressed_tensor as sparse_compressed_tensor
from ._attributes import sparse_coo as sparse_coo
from .sparse import sparse_coo_tensor as sparse_coo_tensor
from ._attributes import sparse_csc as sparse_csc
from .sparse import sparse_csc_tensor as sparse_csc_tensor
from ._attributes import sparse_csr as sparse_csr
from .sparse import sparse_csr_tensor as sparse_csr_tensor
from . import special as special
from . import storage as storage
from ._attributes import strided as strided
from ._lowrank import svd_lowrank as svd_lowrank
from ._symbolic import sym_float as sym_float
from ._symbolic import sym_int as sym_int
from ._symbolic import sym_max as sym_max
from ._symbolic import sym_min as sym_min
from ._symbolic import sym_not as sym_not
from ._symbolic import sym_sum as sym_sum
from . import testing as testing
from .utils.dlpack import to_dlpack as to_dlpack
from . import torch_version as torch_version
from .nn._toplevel import triplet_margin_loss as triplet_margin_loss
from ._utils import typename as typename
from . import types as types
from ._install import uninstall as uninstall
from ._settings import use_deterministic_algorithms as use_deterministic_algorithms
from . import utils as utils
from . import version as version
from . import viz as viz
from .func import vmap as vmap
from ._control_flow import while_loop as while_loop
from . import xpu as xpu

_d: dtype
bfloat16: dtype
bool: dtype
cdouble: dtype
cfloat: dtype
chalf: dtype
complex128: dtype
complex32: dtype
complex64: dtype
double: dtype
float: dtype
float16: dtype
float32: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
half: dtype
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
long: dtype
qint32: dtype
qint8: dtype
quint2x4: dtype
quint4x2: dtype
quint8: dtype
short: dtype
uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype

class Methods:
    def _coalesced_(self, coalesced: Any) -> Tensor:
        r"""Say whether the places are sorted and different; nothing is checked."""
    def _dimI(self) -> _int:
        r"""sparse_dim()."""
    def _dimV(self) -> _int:
        r"""dense_dim()."""
    def _indices(self) -> Tensor:
        r"""indices() of any sparse tensor."""
    def _nnz(self) -> _int:
        r"""How many elements a sparse tensor lists."""
    def _typed_storage(self) -> Any:
        r"""storage() without its warning."""
    def _values(self) -> Tensor:
        r"""values() of any sparse tensor, in its own memory and not recorded."""
    def abs(self, *, out: Any = None) -> Tensor:
        r"""The absolute value, of complex elements the modulus; the gradient at 0 is 0."""
    def abs_(self) -> Tensor:
        r"""abs in place; RuntimeError for complex tensors."""
    def absolute(self, *, out: Any = None) -> Tensor:
        r"""The absolute value, of complex elements the modulus; the gradient at 0 is 0."""
    def absolute_(self) -> Tensor:
        r"""abs in place; RuntimeError for complex tensors."""
    def acos(self, *, out: Any = None) -> Tensor:
        r"""The angle whose cosine is `input`, in [0, pi]; nan outside [-1, 1]."""
    def acos_(self) -> Tensor:
        r"""`acos` in place: writes into `input` and returns it."""
    def acosh(self, *, out: Any = None) -> Tensor:
        r"""The inverse of cosh, not negative; nan below 1."""
    def acosh_(self) -> Tensor:
        r"""`acosh` in place: writes into `input` and returns it."""
    def add(self, other: Any, tensor: Any = None, *, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""`input + alpha * other`."""
    def add_(self, other: Any, tensor: Any = None, *, alpha: Any = 1) -> Tensor:
        r"""Add `alpha * other` to self in place; the shape and dtype of self stay."""
    def addbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""beta * input + alpha * the sum over i of batch1[i] @ batch2[i]."""
    def addbmm_(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        r"""addbmm in place."""
    def addcdiv(self, tensor1: Any, tensor2: Any, tensor: Any = None, *, value: Any = 1, out: Any = None) -> Tensor:
        r"""input + value * tensor1 / tensor2; RuntimeError if both are integers."""
    def addcdiv_(self, tensor1: Any, tensor2: Any, tensor: Any = None, *, value: Any = 1) -> Tensor:
        r"""addcdiv in place."""
    def addcmul(self, tensor1: Any, tensor2: Any, tensor: Any = None, *, value: Any = 1, out: Any = None) -> Tensor:
        r"""input + value * tensor1 * tensor2."""
    def addcmul_(self, tensor1: Any, tensor2: Any, tensor: Any = None, *, value: Any = 1) -> Tensor:
        r"""addcmul in place."""
    def addmm(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""beta * input + alpha * (mat1 @ mat2): (n, m) or what expands to it, (n, k), (k, m) -> (n, m)."""
    def addmm_(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        r"""addmm in place."""
    def addmv(self, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""beta * input + alpha * (mat @ vec): (n) or what expands to it, (n, k), (k) -> (n)."""
    def addmv_(self, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        r"""addmv in place."""
    def addr(self, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""beta * input + alpha * (vec1 outer vec2): (n, m) or what expands to it, (n), (m) -> (n, m)."""
    def addr_(self, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        r"""addr in place."""
    def adjoint(self) -> Tensor:
        r"""The conjugate transpose of each matrix; the conjugate of a number."""
    def all(self, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""Whether every element is non-zero, or every one along `dim`; bool (uint8 for uint8)."""
    def allclose(self, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> _bool:
        r"""True if every |input - other| <= atol + rtol * |other|."""
    def amax(self, dim: Any = ..., keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""The largest elements over the dimensions `dim` (all by default); ties share the gradient."""
    def amin(self, dim: Any = ..., keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""The smallest elements over the dimensions `dim` (all by default); ties share the gradient."""
    def aminmax(self, *, dim: Any = None, keepdim: Any = False, out: Any = None) -> Any:
        r"""(min, max) of everything, or along `dim`."""
    def angle(self, *, out: Any = None) -> Tensor:
        r"""The argument of complex numbers in radians, within +-pi; of real ones 0, or pi below"""
    def any(self, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""Whether some element is non-zero, or some along `dim`; bool (uint8 for uint8)."""
    def apply_(self, callable: Any) -> Tensor:
        r"""Replace each element x by callable(x). Raises RuntimeError if the tensor requires grad."""
    def arccos(self, *, out: Any = None) -> Tensor:
        r"""The angle whose cosine is `input`, in [0, pi]; nan outside [-1, 1]."""
    def arccos_(self) -> Tensor:
        r"""`acos` in place: writes into `input` and returns it."""
    def arccosh(self, *, out: Any = None) -> Tensor:
        r"""The inverse of cosh, not negative; nan below 1."""
    def arccosh_(self) -> Tensor:
        r"""`acosh` in place: writes into `input` and returns it."""
    def arcsin(self, *, out: Any = None) -> Tensor:
        r"""The angle whose sine is `input`, within +-pi/2; nan outside [-1, 1]."""
    def arcsin_(self) -> Tensor:
        r"""`asin` in place: writes into `input` and returns it."""
    def arcsinh(self, *, out: Any = None) -> Tensor:
        r"""The inverse of sinh."""
    def arcsinh_(self) -> Tensor:
        r"""`asinh` in place: writes into `input` and returns it."""
    def arctan(self, *, out: Any = None) -> Tensor:
        r"""The angle whose tangent is `input`, within +-pi/2."""
    def arctan2(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The angle of the point (other, input), within +-pi: arctan(input / other) with the"""
    def arctan2_(self, other: Any) -> Tensor:
        r"""`atan2` in place: writes into `input` and returns it."""
    def arctan_(self) -> Tensor:
        r"""`atan` in place: writes into `input` and returns it."""
    def arctanh(self, *, out: Any = None) -> Tensor:
        r"""The inverse of tanh; nan outside [-1, 1]."""
    def arctanh_(self) -> Tensor:
        r"""`atanh` in place: writes into `input` and returns it."""
    def argmax(self, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""The index of the largest element (of several, the first): of all elements, or along `dim`."""
    def argmin(self, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""Where the smallest element lies (the first of several), in everything or along `dim`."""
    def argsort(self, dim: Any = -1, descending: Any = False, *, stable: Any = False, out: Any = None) -> Tensor:
        r"""The places that sort takes its values from."""
    def argwhere(self) -> Tensor:
        r"""The places of the nonzero elements, one row each.  # (count, ndim)"""
    def as_strided(self, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
        r"""A view with any sizes and strides (in elements) of the memory, from `storage_offset` on."""
    def as_strided_(self, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
        r"""as_strided() in place: the tensor itself becomes the view."""
    def as_strided_scatter(self, src: Any, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
        r"""A copy of input with src in place of input.as_strided(size, stride, storage_offset)."""
    def asin(self, *, out: Any = None) -> Tensor:
        r"""The angle whose sine is `input`, within +-pi/2; nan outside [-1, 1]."""
    def asin_(self) -> Tensor:
        r"""`asin` in place: writes into `input` and returns it."""
    def asinh(self, *, out: Any = None) -> Tensor:
        r"""The inverse of sinh."""
    def asinh_(self) -> Tensor:
        r"""`asinh` in place: writes into `input` and returns it."""
    def atan(self, *, out: Any = None) -> Tensor:
        r"""The angle whose tangent is `input`, within +-pi/2."""
    def atan2(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The angle of the point (other, input), within +-pi: arctan(input / other) with the"""
    def atan2_(self, other: Any) -> Tensor:
        r"""`atan2` in place: writes into `input` and returns it."""
    def atan_(self) -> Tensor:
        r"""`atan` in place: writes into `input` and returns it."""
    def atanh(self, *, out: Any = None) -> Tensor:
        r"""The inverse of tanh; nan outside [-1, 1]."""
    def atanh_(self) -> Tensor:
        r"""`atanh` in place: writes into `input` and returns it."""
    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: Any = False, inputs: Any = None) -> Any:
        r"""Add d(self)/d(leaf) to `.grad` of every leaf that self was computed from."""
    def baddbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""beta * input + alpha * (batch1 @ batch2), matrix by matrix."""
    def baddbmm_(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        r"""baddbmm in place."""
    def bernoulli(self, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
        r"""Ones with the probabilities that `input` holds (or all with probability p), else zeros."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Any = None) -> Tensor:
        r"""Fill with ones of probability p, a number or a tensor that broadcasts, and zeros."""
    def bfloat16(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.bfloat16: the tensor itself if they are, else a recorded copy."""
    def bincount(self, weights: Any = None, minlength: Any = 0) -> Tensor:
        r"""How often each of 0, 1, 2 .. occurs in the vector input, or the sum of its weights."""
    def bitwise_and(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input & other`, for integers and bool."""
    def bitwise_and_(self, other: Any) -> Tensor:
        r"""`bitwise_and` in place: writes into `input` and returns it."""
    def bitwise_left_shift(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input << other`, for integers: input * 2**other."""
    def bitwise_left_shift_(self, other: Any) -> Tensor:
        r"""`bitwise_left_shift` in place: writes into `input` and returns it."""
    def bitwise_not(self, *, out: Any = None) -> Tensor:
        r"""`~input`, for integers and bool."""
    def bitwise_not_(self) -> Tensor:
        r"""`bitwise_not` in place: writes into `input` and returns it."""
    def bitwise_or(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input | other`, for integers and bool."""
    def bitwise_or_(self, other: Any) -> Tensor:
        r"""`bitwise_or` in place: writes into `input` and returns it."""
    def bitwise_right_shift(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input >> other`, for integers: input / 2**other, rounded down."""
    def bitwise_right_shift_(self, other: Any) -> Tensor:
        r"""`bitwise_right_shift` in place: writes into `input` and returns it."""
    def bitwise_xor(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input ^ other`, for integers and bool."""
    def bitwise_xor_(self, other: Any) -> Tensor:
        r"""`bitwise_xor` in place: writes into `input` and returns it."""
    def bmm(self, mat2: Any, *, out: Any = None) -> Tensor:
        r"""Products of the matrices of two batches of one dtype: (b, n, k) (b, k, m) -> (b, n, m)."""
    def bool(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.bool: the tensor itself if they are, else a recorded copy."""
    def broadcast_to(self, *args: Any, size: Any = None) -> Tensor:
        r"""expand() as a function."""
    def byte(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.uint8: the tensor itself if they are, else a recorded copy."""
    def cauchy_(self, median: Any = 0.0, sigma: Any = 1.0, *, generator: Any = None) -> Tensor:
        r"""Fill with values of density 1 / (pi sigma (1 + ((x - median) / sigma)^2))."""
    def ccol_indices(self) -> Tensor:
        r"""Where each column begins in values() of a matrix of the layout torch.sparse_csc."""
    def cdouble(self, *, memory_format: Any = None) -> Any:
        r"""The elements as torch.complex128: the tensor itself if they are, else a recorded copy."""
    def ceil(self, *, out: Any = None) -> Tensor:
        r"""The next integer above; the gradient is 0."""
    def ceil_(self) -> Tensor:
        r"""`ceil` in place: writes into `input` and returns it."""
    def chalf(self, *, memory_format: Any = None) -> Tensor:
        r"""Raises NotImplementedError: NumPy has no complex numbers of half precision."""
    def cfloat(self, *, memory_format: Any = None) -> Any:
        r"""The elements as torch.complex64: the tensor itself if they are, else a recorded copy."""
    def char(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.int8: the tensor itself if they are, else a recorded copy."""
    def cholesky(self, upper: Any = False, *, out: Any = None) -> Tensor:
        r"""torch.linalg.cholesky under its older name, with PyTorch's warning."""
    def cholesky_inverse(self, upper: Any = False, *, out: Any = None) -> Tensor:
        r"""The inverse of a matrix from its Cholesky factor."""
    def cholesky_solve(self, input2: Any, upper: Any = False, *, out: Any = None) -> Tensor:
        r"""X with `A X = input` from the Cholesky factor `input2` of A."""
    def chunk(self, chunks: Any, dim: Any = 0, *, axis: Any = None) -> tuple[Tensor, ...]:
        r"""A tuple of at most `chunks` pieces along `dim`, as views; the last may be smaller."""
    def clamp(self, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
        r"""Each element limited to [min, max]: `minimum(maximum(input, min), max)`."""
    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        r"""clamp in place."""
    def clamp_max(self, max: Any, *, out: Any = None) -> Tensor:
        r"""max where the input is larger."""
    def clamp_max_(self, max: Any) -> Tensor:
        r"""clamp_max in place."""
    def clamp_min(self, min: Any, *, out: Any = None) -> Tensor:
        r"""min where the input is smaller."""
    def clamp_min_(self, min: Any) -> Tensor:
        r"""clamp_min in place."""
    def clip(self, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
        r"""Each element limited to [min, max]: `minimum(maximum(input, min), max)`."""
    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        r"""clamp in place."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        r"""A recorded copy, in the layout of the input unless `memory_format` says otherwise."""
    def coalesce(self) -> Tensor:
        r"""The sparse tensor with its places sorted and each listed once; itself if it is so already."""
    def col_indices(self) -> Tensor:
        r"""The column of each of the values() of a matrix of the layout torch.sparse_csr."""
    def conj(self) -> Tensor:
        r"""The complex conjugate; a real tensor is returned as it is."""
    def conj_physical(self, *, out: Any = None) -> Tensor:
        r"""The complex conjugate in memory of its own; a real tensor is returned as it is."""
    def conj_physical_(self) -> Tensor:
        r"""conj_physical in place."""
    def const_data_ptr(self) -> Any:
        r"""data_ptr(), for reading."""
    def contiguous(self, *, memory_format: Any = None) -> Tensor:
        r"""Itself if its elements lie in order, else a copy in which they do."""
    def copy_(self, src: Any = None, non_blocking: Any = False, *, other: Any = None) -> Tensor:
        r"""Write `src`, broadcast and converted, into this tensor."""
    def copysign(self, other: Any, *, out: Any = None) -> Tensor:
        r"""|input| with the sign of `other`, a tensor or a number."""
    def copysign_(self, other: Any) -> Tensor:
        r"""copysign in place."""
    def corrcoef(self) -> Tensor:
        r"""The correlation matrix of the rows of input."""
    def cos(self, *, out: Any = None) -> Tensor:
        r"""The cosine, of radians."""
    def cos_(self) -> Tensor:
        r"""`cos` in place: writes into `input` and returns it."""
    def cosh(self, *, out: Any = None) -> Tensor:
        r"""The hyperbolic cosine, (e**x + e**-x) / 2."""
    def cosh_(self) -> Tensor:
        r"""`cosh` in place: writes into `input` and returns it."""
    def count_nonzero(self, dim: Any = None, *more: Any, axis: Any = None) -> Tensor:
        r"""torch.count_nonzero: the method also takes its dimensions one by one."""
    def cov(self, *, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        r"""The covariance matrix of the rows of input, weighted by counts and by importance."""
    def cpu(self, *, memory_format: Any = None) -> Tensor:
        r"""Itself; raises NotImplementedError on the device "meta", where there are no numbers."""
    def cross(self, other: Any, dim: Any = None, *, out: Any = None) -> Tensor:
        r"""The cross product along dim, by default the first dimension of size 3."""
    def crow_indices(self) -> Tensor:
        r"""Where each row begins in values() of a matrix of the layout torch.sparse_csr, and the end."""
    def cuda(self, device: Any = None, non_blocking: Any = False, memory_format: Any = None) -> Tensor:
        r"""Raises PyTorch's error of a build without CUDA."""
    def cummax(self, dim: Any, *, out: Any = None) -> Any:
        r"""(values, indices) of running maxima along dim and the last place each was reached."""
    def cummin(self, dim: Any, *, out: Any = None) -> Any:
        r"""(values, indices) of running minima along dim and the last place each was reached."""
    def cumprod(self, dim: Any, *, dtype: Any = None, out: Any = None) -> Tensor:
        r"""Running products along dim; integers and bool are multiplied in int64."""
    def cumprod_(self, dim: Any, *, dtype: Any = None) -> Tensor:
        r"""cumprod in place."""
    def cumsum(self, dim: Any, *, dtype: Any = None, out: Any = None) -> Tensor:
        r"""Running sums along dim: y[i] = x[0] + ... + x[i], of the shape of input."""
    def cumsum_(self, dim: Any, *, dtype: Any = None) -> Tensor:
        r"""cumsum in place."""
    def data_ptr(self) -> _int:
        r"""The address of the first element."""
    def deg2rad(self, *, out: Any = None) -> Tensor:
        r"""Degrees as radians: input * pi / 180."""
    def deg2rad_(self) -> Tensor:
        r"""`deg2rad` in place: writes into `input` and returns it."""
    def dense_dim(self) -> _int:
        r"""How many dimensions are dense: those of each of the values() of a sparse tensor."""
    def det(self) -> Tensor:
        r"""linalg.det by its older name."""
    def diag(self, diagonal: Any = 0, *, out: Any = None) -> Tensor:
        r"""The diagonal of a matrix (n, m), or the matrix (n, n) with a vector on its diagonal."""
    def diag_embed(self, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
        r"""A matrix for each vector in the last dimension, with the vector on its diagonal."""
    def diagflat(self, offset: Any = 0) -> Tensor:
        r"""A matrix with all elements on its diagonal."""
    def diagonal(self, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
        r"""The elements where the two dimensions' indices differ by `offset`, in a last dimension."""
    def diagonal_scatter(self, src: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
        r"""A copy of input with src in place of input.diagonal(offset, dim1, dim2)."""
    def diff(self, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None, *, out: Any = None) -> Tensor:
        r"""The n-th differences of neighbours along dim, prepend and append being joined on first."""
    def digamma(self, *, out: Any = None) -> Tensor:
        r"""The derivative of lgamma."""
    def digamma_(self) -> Tensor:
        r"""`digamma` in place: writes into `input` and returns it."""
    def dim(self) -> _int:
        r"""The number of dimensions."""
    def dim_order(self, *, ambiguity_check: Any = False) -> Any:
        r"""The dimensions from the outermost to the innermost in memory."""
    def dist(self, other: Any, p: Any = 2) -> Tensor:
        r"""The p-norm of input - other."""
    def div(self, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
        r"""input / other; with rounding_mode "trunc" or "floor" the rounded quotient."""
    def div_(self, other: Any, *, rounding_mode: Any = None) -> Tensor:
        r"""Divide self by other in place."""
    def divide(self, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
        r"""input / other; with rounding_mode "trunc" or "floor" the rounded quotient."""
    def divide_(self, other: Any, *, rounding_mode: Any = None) -> Tensor:
        r"""Divide self by other in place."""
    def dot(self, tensor: Any, *, out: Any = None) -> Tensor:
        r"""The sum of the products of two vectors' elements (no conjugate is taken)."""
    def double(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.float64: the tensor itself if they are, else a recorded copy."""
    def dsplit(self, places: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        r"""Views of equal pieces along dimension 2, or cut at given places."""
    def eig(self, **kwargs: Any) -> Any:
        r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.eig."""
    def element_size(self) -> _int:
        r"""Bytes of one element."""
    def eq(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input == other`, element by element; `equal` compares whole tensors."""
    def eq_(self, other: Any) -> Tensor:
        r"""`eq` in place: writes into `input` and returns it."""
    def equal(self, other: Any) -> _bool:
        r"""True if both have the same shape and elements."""
    def erf(self, *, out: Any = None) -> Tensor:
        r"""The error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    def erf_(self) -> Tensor:
        r"""`erf` in place: writes into `input` and returns it."""
    def erfc(self, *, out: Any = None) -> Tensor:
        r"""1 - erf(input), exact for large elements too."""
    def erfc_(self) -> Tensor:
        r"""`erfc` in place: writes into `input` and returns it."""
    def erfinv(self, *, out: Any = None) -> Tensor:
        r"""The inverse of erf; infinite at -1 and 1, nan beyond."""
    def erfinv_(self) -> Tensor:
        r"""`erfinv` in place: writes into `input` and returns it."""
    def exp(self, *, out: Any = None) -> Tensor:
        r"""e to the power of each element."""
    def exp2(self, *, out: Any = None) -> Tensor:
        r"""2 to the power of each element."""
    def exp2_(self) -> Tensor:
        r"""`exp2` in place: writes into `input` and returns it."""
    def exp_(self) -> Tensor:
        r"""`exp` in place: writes into `input` and returns it."""
    def expand(self, *shape: Any, implicit: Any = False, size: Any = None) -> Tensor:
        r"""A view that repeats dimensions of size 1: (1, 3) -> (2, 3), without a copy; -1 keeps a size."""
    def expand_as(self, other: Any) -> Tensor:
        r"""expand() to the shape of `other`."""
    def expm1(self, *, out: Any = None) -> Tensor:
        r"""exp(input) - 1, exact for small elements too."""
    def expm1_(self) -> Tensor:
        r"""`expm1` in place: writes into `input` and returns it."""
    def exponential_(self, lambd: Any = 1.0, *, generator: Any = None) -> Tensor:
        r"""Fill with values of density lambd exp(-lambd x)."""
    def fill_(self, value: Any) -> Tensor:
        r"""Write one number (or a 0-d tensor) into every element."""
    def fill_diagonal_(self, fill_value: Any, wrap: Any = False) -> Tensor:
        r"""Write `fill_value` where all indices are equal; `wrap` goes on below in a tall matrix."""
    def fix(self, *, out: Any = None) -> Tensor:
        r"""The next integer towards 0; the gradient is 0."""
    def fix_(self) -> Tensor:
        r"""`trunc` in place: writes into `input` and returns it."""
    def flatten(self, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
        r"""Dimensions start_dim to end_dim as one: (2, 3, 4) -> (2, 12) for start_dim=1."""
    def flip(self, *order: Any, dims: Any = None) -> Tensor:
        r"""A copy in reverse order along `dims`: flip(x, 0, 1), flip(x, (0, 1)), flip(x, dims=[0])."""
    def fliplr(self) -> Tensor:
        r"""flip() along dimension 1."""
    def flipud(self) -> Tensor:
        r"""flip() along dimension 0."""
    def float(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.float32: the tensor itself if they are, else a recorded copy."""
    def float_power(self, exponent: Any, *, out: Any = None) -> Tensor:
        r"""input ** exponent computed in float64 (complex128 for complex operands)."""
    def float_power_(self, exponent: Any) -> Tensor:
        r"""float_power in place; self must be float64 (or complex128)."""
    def floor(self, *, out: Any = None) -> Tensor:
        r"""The next integer below; the gradient is 0."""
    def floor_(self) -> Tensor:
        r"""`floor` in place: writes into `input` and returns it."""
    def floor_divide(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input / other`, rounded down: floor(input / other). Not differentiable."""
    def floor_divide_(self, other: Any) -> Tensor:
        r"""`floor_divide` in place: writes into `input` and returns it."""
    def fmax(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The larger of two elements, and the other one where one is nan."""
    def fmin(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The smaller of two elements, and the other one where one is nan."""
    def fmod(self, other: Any, *, out: Any = None) -> Tensor:
        r"""C's fmod: input - other * trunc(input / other), with the sign of `input`."""
    def fmod_(self, other: Any) -> Tensor:
        r"""fmod in place."""
    def frac(self, *, out: Any = None) -> Tensor:
        r"""input - trunc(input): what trunc takes away, with its sign."""
    def frac_(self) -> Tensor:
        r"""`frac` in place: writes into `input` and returns it."""
    def frexp(self, *, out: Any = None) -> Any:
        r"""(mantissa, exponent) with input = mantissa * 2**exponent and mantissa in [0.5, 1)."""
    def gather(self, dim: Any, index: Any, *, sparse_grad: Any = False, out: Any = None) -> Tensor:
        r"""One element for each index: `out[i][j] = input[index[i][j]][j]` for dim 0."""
    def gcd(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The greatest common divisor of integers, not negative."""
    def gcd_(self, other: Any) -> Tensor:
        r"""`gcd` in place: writes into `input` and returns it."""
    def ge(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input >= other`, element by element."""
    def ge_(self, other: Any) -> Tensor:
        r"""`ge` in place: writes into `input` and returns it."""
    def geometric_(self, p: Any, *, generator: Any = None) -> Tensor:
        r"""Fill with the number of trials up to the first success of probability p."""
    def geqrf(self, *, out: Any = None) -> Any:
        r"""(a, tau): R above a's diagonal, the vectors of Householder's reflections below."""
    def ger(self, vec2: Any, *, out: Any = None) -> Tensor:
        r"""The products of each element of one vector with each of another: (n) (m) -> (n, m)."""
    def get_device(self) -> _int:
        r"""The number of the tensor's GPU: -1, for the CPU."""
    def greater(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input > other`, element by element."""
    def greater_(self, other: Any) -> Tensor:
        r"""`gt` in place: writes into `input` and returns it."""
    def greater_equal(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input >= other`, element by element."""
    def greater_equal_(self, other: Any) -> Tensor:
        r"""`ge` in place: writes into `input` and returns it."""
    def gt(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input > other`, element by element."""
    def gt_(self, other: Any) -> Tensor:
        r"""`gt` in place: writes into `input` and returns it."""
    def half(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.float16: the tensor itself if they are, else a recorded copy."""
    def hardshrink(self, lambd: Any = 0.5, *, out: Any = None) -> Tensor:
        r"""`input` where it is beyond +-lambd, 0 between."""
    def hash_tensor(self, dim: Any = ..., *, keepdim: Any = False, mode: Any = 0, out: Any = None) -> Tensor:
        r"""The exclusive or of the elements' bits along `dim` (all by default), as uint64."""
    def heaviside(self, values: Any, *, out: Any = None) -> Tensor:
        r"""0 below 0, 1 above, and `values` at 0. Not differentiable."""
    def heaviside_(self, values: Any) -> Tensor:
        r"""`heaviside` in place: writes into `input` and returns it."""
    def histc(self, bins: Any = 100, min: Any = 0, max: Any = 0, *, out: Any = None) -> Tensor:
        r"""Counts in equal bins between min and max; if these are equal, between the extremes."""
    def histogram(self, bins: Any = 100, *, range: Any = None, weight: Any = None, density: Any = False, out: Any = None) -> Any:
        r"""(hist, bin_edges): counts, or sums of weight, between edges; bins is a number or the edges."""
    def hsplit(self, places: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        r"""Views of equal pieces along dimension 1, or cut at given places."""
    def hypot(self, other: Any, *, out: Any = None) -> Tensor:
        r"""sqrt(input**2 + other**2), without overflow on the way."""
    def hypot_(self, other: Any) -> Tensor:
        r"""`hypot` in place: writes into `input` and returns it."""
    def i0(self, *, out: Any = None) -> Tensor:
        r"""The modified Bessel function of the first kind, of order 0."""
    def i0_(self) -> Tensor:
        r"""`i0` in place: writes into `input` and returns it."""
    def igamma(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The regularised lower incomplete gamma function P(input, other). Differentiable in"""
    def igamma_(self, other: Any) -> Tensor:
        r"""`igamma` in place: writes into `input` and returns it."""
    def igammac(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The regularised upper incomplete gamma function, 1 - igamma(input, other)."""
    def igammac_(self, other: Any) -> Tensor:
        r"""`igammac` in place: writes into `input` and returns it."""
    def index_add(self, dim: Any, index: Any, source: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""A copy of input with alpha times the slices of source added at index."""
    def index_add_(self, dim: Any, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
        r"""`index_add` in place: writes into `input` and returns it."""
    def index_copy(self, dim: Any, index: Any, source: Any, *, out: Any = None) -> Tensor:
        r"""A copy of input with the slices of source written at index."""
    def index_copy_(self, dim: Any, index: Any, source: Any) -> Tensor:
        r"""`index_copy` in place: writes into `input` and returns it."""
    def index_fill(self, dim: Any, index: Any, value: Any, *, out: Any = None) -> Tensor:
        r"""A copy of input with the slices at index filled with value, a number or a 0-d tensor."""
    def index_fill_(self, dim: Any, index: Any, value: Any) -> Tensor:
        r"""`index_fill` in place: writes into `input` and returns it."""
    def index_put(self, indices: Any, values: Any, accumulate: Any = False, *, out: Any = None) -> Tensor:
        r"""A copy of input with `out[indices] = values`, or += values with accumulate."""
    def index_put_(self, indices: Any, values: Any, accumulate: Any = False) -> Tensor:
        r"""`index_put` in place: writes into `input` and returns it."""
    def index_reduce(self, dim: Any, index: Any, source: Any, reduce: Any, *, include_self: Any = True, out: Any = None) -> Tensor:
        r"""Like index_add, with reduce "prod", "mean", "amax" or "amin"."""
    def index_reduce_(self, dim: Any, index: Any, source: Any, reduce: Any, *, include_self: Any = True) -> Tensor:
        r"""`index_reduce` in place: writes into `input` and returns it."""
    def index_select(self, dim: Any, index: Any, *, out: Any = None) -> Tensor:
        r"""The slices of input along dim that the vector index names, in its order, as a copy."""
    def indices(self) -> Tensor:
        r"""(S, n): where the n elements of a coalesced sparse tensor are in its S sparse dimensions."""
    def inner(self, other: Any, *, out: Any = None) -> Tensor:
        r"""Dot products over the last dimensions: (*a, k) (*b, k) -> (*a, *b); numbers multiply."""
    def int(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.int32: the tensor itself if they are, else a recorded copy."""
    def inverse(self, *, out: Any = None) -> Tensor:
        r"""torch.linalg.inv."""
    def is_coalesced(self) -> _bool:
        r"""Whether the places of a sparse tensor are known to be sorted and different."""
    def is_complex(self) -> _bool:
        r"""Whether the dtype is a complex one."""
    def is_conj(self) -> _bool:
        r"""False: a conjugate is never pending here."""
    def is_contiguous(self, memory_format: Any = None) -> _bool:
        r"""Whether the elements lie in memory in order."""
    def is_distributed(self) -> _bool:
        r"""Always False: a tensor lies in one process."""
    def is_floating_point(self) -> _bool:
        r"""Whether the dtype is a floating one."""
    def is_inference(self) -> _bool:
        r"""Whether the tensor was made under inference_mode."""
    def is_neg(self) -> _bool:
        r"""False: a negation is never pending here."""
    def is_nonzero(self) -> _bool:
        r"""The truth of a tensor with one element."""
    def is_pinned(self, device: Any = None) -> _bool:
        r"""Always False."""
    def is_same_size(self, other: Any) -> _bool:
        r"""Whether both have the same shape."""
    def is_set_to(self, tensor: Any) -> _bool:
        r"""Whether both show the same memory with the same sizes and strides."""
    def is_shared(self) -> Any:
        r"""Whether other processes can have its memory too."""
    def is_signed(self) -> _bool:
        r"""Whether the dtype has negative numbers."""
    def isclose(self, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
        r"""Where |input - other| <= atol + rtol * |other|."""
    def isfinite(self, *, out: Any = None) -> Tensor:
        r"""Whether each element is neither infinite nor nan."""
    def isinf(self, *, out: Any = None) -> Tensor:
        r"""Whether each element is infinite, of either sign."""
    def isnan(self, *, out: Any = None) -> Tensor:
        r"""Whether each element is not a number."""
    def isneginf(self, *, out: Any = None) -> Tensor:
        r"""Whether each element is -infinity."""
    def isposinf(self, *, out: Any = None) -> Tensor:
        r"""Whether each element is +infinity."""
    def isreal(self, *, out: Any = None) -> Tensor:
        r"""Whether each element has no imaginary part; True for real dtypes."""
    def istft(self, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True, normalized: Any = False, onesided: Any = None, length: Any = None, return_complex: Any = False) -> Tensor:
        r"""The signal whose stft is input: overlapping frames added, divided by the squared windows."""
    def item(self) -> Any:
        r"""The one element as a Python number."""
    def kron(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The Kronecker product."""
    def kthvalue(self, k: Any, dim: Any = -1, keepdim: Any = False, *, out: Any = None) -> Any:
        r"""(values, indices) of the k-th smallest element along dim, k counted from 1."""
    def lcm(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The least common multiple of integers, not negative."""
    def lcm_(self, other: Any) -> Tensor:
        r"""`lcm` in place: writes into `input` and returns it."""
    def ldexp(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input * 2**other`."""
    def ldexp_(self, other: Any) -> Tensor:
        r"""ldexp in place; RuntimeError for a tensor of integers."""
    def le(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input <= other`, element by element."""
    def le_(self, other: Any) -> Tensor:
        r"""`le` in place: writes into `input` and returns it."""
    def lerp(self, end: Any, weight: Any, *, out: Any = None) -> Tensor:
        r"""input + weight * (end - input): linear interpolation; weight is a number or a tensor."""
    def lerp_(self, end: Any, weight: Any) -> Tensor:
        r"""lerp in place."""
    def less(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input < other`, element by element."""
    def less_(self, other: Any) -> Tensor:
        r"""`lt` in place: writes into `input` and returns it."""
    def less_equal(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input <= other`, element by element."""
    def less_equal_(self, other: Any) -> Tensor:
        r"""`le` in place: writes into `input` and returns it."""
    def lgamma(self, *, out: Any = None) -> Tensor:
        r"""log |Gamma(input)|."""
    def lgamma_(self) -> Tensor:
        r"""`lgamma` in place: writes into `input` and returns it."""
    def log(self, *, out: Any = None) -> Tensor:
        r"""The natural logarithm: -inf at 0, nan below."""
    def log10(self, *, out: Any = None) -> Tensor:
        r"""The logarithm to base 10."""
    def log10_(self) -> Tensor:
        r"""`log10` in place: writes into `input` and returns it."""
    def log1p(self, *, out: Any = None) -> Tensor:
        r"""log(1 + input), exact for small elements too."""
    def log1p_(self) -> Tensor:
        r"""`log1p` in place: writes into `input` and returns it."""
    def log2(self, *, out: Any = None) -> Tensor:
        r"""The logarithm to base 2."""
    def log2_(self) -> Tensor:
        r"""`log2` in place: writes into `input` and returns it."""
    def log_(self) -> Tensor:
        r"""`log` in place: writes into `input` and returns it."""
    def log_normal_(self, mean: Any = 1.0, std: Any = 2.0, *, generator: Any = None) -> Tensor:
        r"""Fill with exp of normal values of the given mean and std."""
    def log_softmax(self, dim: Any = None, dtype: Any = None, *, out: Any = None, axis: Any = None) -> Tensor:
        r"""input - log(sum(exp(input))) along `dim`."""
    def logaddexp(self, other: Any, *, out: Any = None) -> Tensor:
        r"""log(e**input + e**other), without overflow on the way."""
    def logaddexp2(self, other: Any, *, out: Any = None) -> Tensor:
        r"""log2(2**input + 2**other), without overflow on the way."""
    def logcumsumexp(self, dim: Any, *, out: Any = None) -> Tensor:
        r"""`log(cumsum(exp(input)))` along dim without overflow."""
    def logdet(self) -> Tensor:
        r"""The log of the determinants; nan where it is negative."""
    def logical_and(self, other: Any, *, out: Any = None) -> Tensor:
        r"""Whether both elements are true, that is not 0."""
    def logical_and_(self, other: Any) -> Tensor:
        r"""`logical_and` in place: writes into `input` and returns it."""
    def logical_not(self, *, out: Any = None) -> Tensor:
        r"""Whether each element is 0."""
    def logical_not_(self) -> Tensor:
        r"""`logical_not` in place: writes into `input` and returns it."""
    def logical_or(self, other: Any, *, out: Any = None) -> Tensor:
        r"""Whether at least one of two elements is true, that is not 0."""
    def logical_or_(self, other: Any) -> Tensor:
        r"""`logical_or` in place: writes into `input` and returns it."""
    def logical_xor(self, other: Any, *, out: Any = None) -> Tensor:
        r"""Whether exactly one of two elements is true, that is not 0."""
    def logical_xor_(self, other: Any) -> Tensor:
        r"""`logical_xor` in place: writes into `input` and returns it."""
    def logit(self, eps: Any = None, *, out: Any = None) -> Tensor:
        r"""log(x / (1 - x)), the inverse of sigmoid; with `eps`, x is first clamped to [eps, 1"""
    def logit_(self, eps: Any = None) -> Tensor:
        r"""`logit` in place: writes into `input` and returns it."""
    def logsumexp(self, dim: Any, keepdim: Any = False, *, out: Any = None) -> Tensor:
        r"""log(sum(exp(x))) over `dim`, an int or several, computed so that nothing overflows."""
    def long(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.int64: the tensor itself if they are, else a recorded copy."""
    def lstsq(self, **kwargs: Any) -> Any:
        r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.lstsq."""
    def lt(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input < other`, element by element."""
    def lt_(self, other: Any) -> Tensor:
        r"""`lt` in place: writes into `input` and returns it."""
    def lu(self, pivot: Any = True, get_infos: Any = False, out: Any = None) -> Any:
        r"""(LU, pivots), with get_infos also info: torch.linalg.lu_factor_ex under an older name."""
    def lu_solve(self, LU_data: Any, LU_pivots: Any, *, out: Any = None) -> Tensor:
        r"""torch.linalg.lu_solve with the right-hand side first, with PyTorch's warning."""
    def map2_(self, x: Any, y: Any, callable: Any) -> Tensor:
        r"""Replace each element by callable(element, that of x, that of y)."""
    def map_(self, tensor: Any, callable: Any) -> Tensor:
        r"""Replace each element x by callable(x, y), y the element of `tensor` there (it broadcasts)."""
    def masked_fill(self, mask: Any, value: Any, *, out: Any = None) -> Tensor:
        r"""A copy of input with `value` where the mask is True."""
    def masked_fill_(self, mask: Any, value: Any) -> Tensor:
        r"""`masked_fill` in place: writes into `input` and returns it."""
    def masked_scatter(self, mask: Any, source: Any, *, out: Any = None) -> Tensor:
        r"""A copy of input with source's elements, in order, where the bool mask is true."""
    def masked_scatter_(self, mask: Any, source: Any) -> Tensor:
        r"""`masked_scatter` in place: writes into `input` and returns it."""
    def masked_select(self, mask: Any, *, out: Any = None) -> Tensor:
        r"""The elements of input where the bool mask is true, as a vector."""
    def matmul(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The matrix product `input @ other`."""
    def matrix_exp(self) -> Tensor:
        r"""The exponential of square matrices."""
    def matrix_power(self, n: Any, *, out: Any = None) -> Tensor:
        r"""The n-th power of square matrices; inverses for n < 0."""
    def max(self, dim: Any = None, keepdim: Any = False, *, other: Any = None, out: Any = None) -> Any:
        r"""The largest element; with `dim`, (values, indices) along it; of two tensors, `maximum`."""
    def maximum(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The larger of two elements; nan if either is. At a tie each gets half the"""
    def mean(self, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
        r"""The mean of all elements, or over the dimensions `dim`: their sum by their number."""
    def median(self, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Any:
        r"""The lower median of all elements, or (values, indices) along dim; nan wins."""
    def min(self, dim: Any = None, keepdim: Any = False, *, other: Any = None, out: Any = None) -> Any:
        r"""The smallest element; with `dim`, (values, indices) along it; of two tensors, `minimum`."""
    def minimum(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The smaller of two elements; nan if either is. At a tie each gets half the"""
    def mm(self, mat2: Any, *, out: Any = None) -> Tensor:
        r"""The product of two matrices of one dtype: (n, k) (k, m) -> (n, m). No broadcasting."""
    def mode(self, dim: Any = -1, keepdim: Any = False, *, out: Any = None) -> Any:
        r"""(values, indices) of the most frequent value along dim, the smallest of several."""
    def module_load(self, other: Any, assign: Any = False) -> Any:
        r"""What a module that swaps its tensors keeps, when it loads `other` in place of this one."""
    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        r"""Move dimensions to other places, the rest in order."""
    def movedim(self, source: Any, destination: Any) -> Tensor:
        r"""Move dimensions to other places, the rest in order."""
    def msort(self, *, out: Any = None) -> Tensor:
        r"""The values of input sorted along its first dimension."""
    def mul(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input * other`."""
    def mul_(self, other: Any) -> Tensor:
        r"""`mul` in place: writes into `input` and returns it."""
    def multinomial(self, num_samples: Any, replacement: Any = False, *, generator: Any = None, out: Any = None) -> Tensor:
        r"""Indices drawn in proportion to the weights in `input`, shape (n,) or (rows, n)."""
    def multiply(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input * other`."""
    def multiply_(self, other: Any) -> Tensor:
        r"""`mul` in place: writes into `input` and returns it."""
    def mv(self, vec: Any, *, out: Any = None) -> Tensor:
        r"""Matrix times vector: (n, k) (k) -> (n)."""
    def mvlgamma(self, p: Any, *, out: Any = None) -> Tensor:
        r"""The logarithm of the multivariate gamma function of dimension p."""
    def mvlgamma_(self, p: Any) -> Tensor:
        r"""mvlgamma in place."""
    def nan_to_num(self, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Any = None) -> Tensor:
        r"""`nan` in place of nans (0 if None), `posinf` and `neginf` in place of"""
    def nan_to_num_(self, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
        r"""`nan_to_num` in place: writes into `input` and returns it."""
    def nanmean(self, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
        r"""The mean of the elements that are not nan."""
    def nanmedian(self, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Any:
        r"""median of the elements that are not nan."""
    def nanquantile(self, q: Any, dim: Any = None, keepdim: Any = False, *, interpolation: Any = 'linear', out: Any = None) -> Tensor:
        r"""quantile of the elements that are not nan."""
    def nansum(self, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
        r"""The sum with nan counted as 0."""
    def narrow(self, dim: Any, start: Any, length: Any) -> Tensor:
        r"""`length` slices along `dim` from `start` on, as a view."""
    def narrow_copy(self, out: Any = None, **kwargs: Any) -> Tensor:
        r"""narrow, but a copy and not a view."""
    def ndimension(self) -> _int:
        r"""The number of dimensions."""
    def ne(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input != other`, element by element."""
    def ne_(self, other: Any) -> Tensor:
        r"""`ne` in place: writes into `input` and returns it."""
    def neg(self, *, out: Any = None) -> Tensor:
        r"""`-input`. Raises RuntimeError for bool."""
    def neg_(self) -> Tensor:
        r"""`neg` in place: writes into `input` and returns it."""
    def negative(self, *, out: Any = None) -> Tensor:
        r"""`-input`. Raises RuntimeError for bool."""
    def negative_(self) -> Tensor:
        r"""`neg` in place: writes into `input` and returns it."""
    def nelement(self) -> _int:
        r"""The number of elements."""
    def new(self, *args: Any, **options: Any) -> Tensor:
        r"""torch.Tensor(*args) in the dtype of this tensor."""
    def new_empty(self, *size: Any, dtype: Any = None, device: Any = None, **options: Any) -> Tensor:
        r"""torch.empty(*size) in the dtype of this tensor."""
    def new_empty_strided(self, *size: Any, dtype: Any = None, device: Any = None, **options: Any) -> Tensor:
        r"""torch.empty_strided(*size) in the dtype of this tensor."""
    def new_full(self, *size: Any, dtype: Any = None, device: Any = None, **options: Any) -> Tensor:
        r"""torch.full(*size) in the dtype of this tensor."""
    def new_ones(self, *size: Any, dtype: Any = None, device: Any = None, **options: Any) -> Tensor:
        r"""torch.ones(*size) in the dtype of this tensor."""
    def new_tensor(self, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False, pin_memory: Any = False) -> Tensor:
        r"""torch.tensor(data) in the dtype of `self`."""
    def new_zeros(self, *size: Any, dtype: Any = None, device: Any = None, **options: Any) -> Tensor:
        r"""torch.zeros(*size) in the dtype of this tensor."""
    def nextafter(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The next floating-point number after `input` in the direction of `other`."""
    def nextafter_(self, other: Any) -> Tensor:
        r"""`nextafter` in place: writes into `input` and returns it."""
    def nonzero(self, *, out: Any = None, as_tuple: Any = False) -> Any:
        r"""The places of the nonzero elements: (count, ndim), or a tuple of vectors."""
    def nonzero_static(self, *, size: Any, fill_value: Any = -1, out: Any = None) -> Tensor:
        r"""nonzero() with `size` rows: further ones are left out, missing ones hold `fill_value`."""
    def norm(self, p: Any = 'fro', dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None) -> Any:
        r"""The vector norm of order p over `dim` (all dimensions by default): (sum |x|^p)^(1/p)."""
    def normal_(self, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
        r"""Fill with normal values; raises RuntimeError for a negative std."""
    def not_equal(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input != other`, element by element."""
    def not_equal_(self, other: Any) -> Tensor:
        r"""`ne` in place: writes into `input` and returns it."""
    def numel(self) -> _int:
        r"""The number of elements."""
    def numpy(self, *, force: Any = False) -> Any:
        r"""The array itself: memory is shared both ways. `force` detaches first."""
    def orgqr(self, input2: Any, *, out: Any = None) -> Tensor:
        r"""torch.linalg.householder_product under its older name: Q from what geqrf gives."""
    def ormqr(self, tau: Any, other: Any, left: Any = True, transpose: Any = False, *, out: Any = None) -> Tensor:
        r"""Q @ other, with Q the whole product of the reflections in `input` and `tau` (from geqrf)."""
    def outer(self, vec2: Any, *, out: Any = None) -> Tensor:
        r"""The products of each element of one vector with each of another: (n) (m) -> (n, m)."""
    def permute(self, *args: Any, dims: Any = None) -> Tensor:
        r"""A view with the dimensions in the order `dims`: size i of the result is size dims[i]."""
    def pin_memory(self, device: Any = None) -> Tensor:
        r"""Raises PyTorch's error: there is no accelerator to pin memory for."""
    def pinverse(self, rcond: Any = 1e-15) -> Tensor:
        r"""torch.linalg.pinv with rtol = rcond."""
    def polygamma(self, n: Any) -> Tensor:
        r"""The n-th derivative of digamma: torch.polygamma(n, self)."""
    def polygamma_(self, n: Any) -> Tensor:
        r"""polygamma in place."""
    def positive(self) -> Tensor:
        r"""The tensor itself; RuntimeError for bool tensors."""
    def pow(self, exponent: Any, *, out: Any = None) -> Tensor:
        r"""input ** exponent; either may be a number, dtypes promote."""
    def pow_(self, exponent: Any) -> Tensor:
        r"""Raise self to a power in place."""
    def prelu(self, weight: Any) -> Tensor:
        r"""input above 0, weight * input below; one weight, or one for each channel."""
    def prod(self, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
        r"""The product of all elements, or along one dimension; integers are multiplied in int64."""
    def put(self, index: Any, source: Any, accumulate: Any = False, *, out: Any = None) -> Tensor:
        r"""A copy with source's elements written (or added) at places of the flattened tensor."""
    def put_(self, index: Any, source: Any, accumulate: Any = False) -> Tensor:
        r"""`put` in place: writes into `input` and returns it."""
    def qr(self, some: Any = True, *, out: Any = None) -> Any:
        r"""torch.linalg.qr under its older name, with PyTorch's warning; some=False is complete."""
    def quantile(self, q: Any, dim: Any = None, keepdim: Any = False, *, interpolation: Any = 'linear', out: Any = None) -> Tensor:
        r"""The q-quantiles along dim (or of all elements); shape of q, then the remaining dimensions."""
    def rad2deg(self, *, out: Any = None) -> Tensor:
        r"""Radians as degrees: input * 180 / pi."""
    def rad2deg_(self) -> Tensor:
        r"""`rad2deg` in place: writes into `input` and returns it."""
    def random_(self, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
        r"""Fill with integers: random_() all that the dtype holds, random_(to), random_(from, to)."""
    def ravel(self) -> Tensor:
        r"""All elements in one dimension."""
    def reciprocal(self, *, out: Any = None) -> Tensor:
        r"""`1 / input`."""
    def reciprocal_(self) -> Tensor:
        r"""`reciprocal` in place: writes into `input` and returns it."""
    def register_hook(self, hook: Any) -> Any:
        r"""Call hook(grad) when the gradient of this tensor has been computed."""
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        r"""Call hook(tensor) after this leaf's `.grad` was filled."""
    def relu(self, *, out: Any = None) -> Tensor:
        r"""max(input, 0); the gradient at 0 is 0."""
    def relu_(self) -> Tensor:
        r"""`relu` in place: writes into `input` and returns it."""
    def remainder(self, other: Any, *, out: Any = None) -> Tensor:
        r"""Python's modulus: input - other * floor(input / other), with the sign of `other`."""
    def remainder_(self, other: Any) -> Tensor:
        r"""remainder in place."""
    def renorm(self, p: Any, dim: Any, maxnorm: Any, *, out: Any = None) -> Tensor:
        r"""input with every slice along dim scaled down to the p-norm maxnorm at most."""
    def renorm_(self, p: Any, dim: Any, maxnorm: Any) -> Tensor:
        r"""renorm() in place."""
    def repeat(self, *times: Any, repeats: Any = None) -> Tensor:
        r"""Copies of the tensor side by side: (n, m) -> (r n, s m) for repeat(r, s)."""
    def repeat_interleave(self, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Tensor:
        r"""Each element (or slice along `dim`) repeated; `repeats` is a number or one for each."""
    def reshape(self, *args: Any, shape: Any = None) -> Tensor:
        r"""The elements in another shape, in the same order: a view where possible, else a copy."""
    def reshape_as(self, other: Any) -> Tensor:
        r"""reshape() to the shape of `other`."""
    def resize(self, *size: Any) -> Any:
        r"""The elements in another shape of as many, as a view: the deprecated way to say view()."""
    def resize_(self, *shape: Any, size: Any = None, memory_format: Any = None) -> Tensor:
        r"""Give the tensor another shape over the memory it lies in, which grows if it is too small."""
    def resize_as(self, tensor: Any) -> Any:
        r"""resize() to the shape of another tensor, deprecated."""
    def resize_as_(self, the_template: Any, *, memory_format: Any = None) -> Tensor:
        r"""resize_() to the shape of another tensor; preserve_format keeps its channels last, too."""
    def resolve_conj(self) -> Tensor:
        r"""The tensor itself: conjugates are always in memory here."""
    def resolve_neg(self) -> Tensor:
        r"""The tensor itself: negated values are always in memory here."""
    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        r"""Elements moved on by `shifts` along `dims`; those pushed out at the end come in in front."""
    def rot90(self, k: Any = 1, dims: Any = ...) -> Tensor:
        r"""A quarter turn, k times, in the plane of two dimensions."""
    def round(self, *, decimals: Any = None, out: Any = None) -> Tensor:
        r"""The nearest integers, halves to even; or to `decimals` digits after the point."""
    def round_(self, *, decimals: Any = None) -> Tensor:
        r"""round in place."""
    def row_indices(self) -> Tensor:
        r"""The row of each of the values() of a matrix of the layout torch.sparse_csc."""
    def rsqrt(self, *, out: Any = None) -> Tensor:
        r"""`1 / sqrt(input)`."""
    def rsqrt_(self) -> Tensor:
        r"""`rsqrt` in place: writes into `input` and returns it."""
    def scatter(self, dim: Any, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None, out: Any = None) -> Tensor:
        r"""A copy of input with `out[index[i][j]][j] = src[i][j]` (dim 0); src may be a number."""
    def scatter_(self, dim: Any, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None) -> Tensor:
        r"""`scatter` in place: writes into `input` and returns it."""
    def scatter_add(self, dim: Any, index: Any, src: Any, *, out: Any = None) -> Tensor:
        r"""A copy of input with `out[index[i][j]][j] += src[i][j]` (dim 0)."""
    def scatter_add_(self, dim: Any, index: Any, src: Any) -> Tensor:
        r"""`scatter_add` in place: writes into `input` and returns it."""
    def scatter_reduce(self, dim: Any, index: Any, src: Any, reduce: Any, *, include_self: Any = True, out: Any = None) -> Tensor:
        r"""scatter with reduce "sum", "prod", "mean", "amax" or "amin" at each place."""
    def scatter_reduce_(self, dim: Any, index: Any, src: Any, reduce: Any, *, include_self: Any = True) -> Tensor:
        r"""`scatter_reduce` in place: writes into `input` and returns it."""
    def select(self, dim: Any, index: Any) -> Tensor:
        r"""The slice number `index` along `dim`, as a view without that dimension."""
    def select_scatter(self, src: Any, dim: Any, index: Any) -> Tensor:
        r"""A copy of input with src in place of input.select(dim, index)."""
    def set_(self, source: Any = None, storage_offset: Any = 0, size: Any = None, stride: Any = None) -> Tensor:
        r"""Show the memory of a tensor or a storage, with an offset, sizes and strides in elements."""
    def sgn(self, *, out: Any = None) -> Tensor:
        r"""input / |input|, 0 for 0; the sign of real elements."""
    def sgn_(self) -> Tensor:
        r"""`sgn` in place: writes into `input` and returns it."""
    def share_memory_(self) -> Tensor:
        r"""Move to memory that other processes can have too, where each sees the others' writes."""
    def short(self, *, memory_format: Any = None) -> Tensor:
        r"""The elements as torch.int16: the tensor itself if they are, else a recorded copy."""
    def sigmoid(self, *, out: Any = None) -> Tensor:
        r"""1 / (1 + e**-x): every number into (0, 1)."""
    def sigmoid_(self) -> Tensor:
        r"""`sigmoid` in place: writes into `input` and returns it."""
    def sign(self, *, out: Any = None) -> Tensor:
        r"""-1, 0 or 1; the gradient is 0."""
    def sign_(self) -> Tensor:
        r"""`sign` in place: writes into `input` and returns it."""
    def signbit(self, *, out: Any = None) -> Tensor:
        r"""Whether the sign bit is set: True for -0.0 too."""
    def sin(self, *, out: Any = None) -> Tensor:
        r"""The sine, of radians."""
    def sin_(self) -> Tensor:
        r"""`sin` in place: writes into `input` and returns it."""
    def sinc(self, *, out: Any = None) -> Tensor:
        r"""sin(pi x) / (pi x), and 1 at 0."""
    def sinc_(self) -> Tensor:
        r"""`sinc` in place: writes into `input` and returns it."""
    def sinh(self, *, out: Any = None) -> Tensor:
        r"""The hyperbolic sine, (e**x - e**-x) / 2."""
    def sinh_(self) -> Tensor:
        r"""`sinh` in place: writes into `input` and returns it."""
    def size(self, dim: Any = None) -> Any:
        r"""The shape, or the size of one dimension; IndexError for a dimension out of range."""
    def slice_scatter(self, src: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1, *, out: Any = None) -> Tensor:
        r"""A copy of input with src in place of its slice start:end:step along dim."""
    def slogdet(self, *, out: Any = None) -> Any:
        r"""(sign, log of the absolute value) of the determinants."""
    def smm(self, mat2: Any) -> Tensor:
        r"""The product of a sparse and a dense matrix, a sparse one that lists the rows of `input`."""
    def softmax(self, dim: Any = None, dtype: Any = None, *, out: Any = None, axis: Any = None) -> Tensor:
        r"""exp(input) / sum(exp(input)) along `dim`, of the shape of input; nothing overflows."""
    def solve(self, **kwargs: Any) -> Any:
        r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.solve."""
    def sort(self, dim: Any = -1, descending: Any = False, *, stable: Any = None, out: Any = None) -> Any:
        r"""(values, indices) of input sorted along dim, so that values[i] = input[indices[i]]."""
    def sparse_dim(self) -> _int:
        r"""How many dimensions are sparse: none of a dense tensor's."""
    def sparse_mask(self, mask: Any) -> Tensor:
        r"""The elements in the places that the sparse tensor `mask` lists, as a sparse tensor."""
    def sparse_resize_(self, size: Any, sparse_dim: Any, dense_dim: Any) -> Tensor:
        r"""Give a sparse tensor another size in place: no smaller, unless it is empty."""
    def sparse_resize_and_clear_(self, size: Any, sparse_dim: Any, dense_dim: Any) -> Tensor:
        r"""Give a sparse tensor another size in place and remove its elements."""
    def split(self, split_size: Any, dim: Any = 0) -> Any:
        r"""torch.split: the method calls its argument split_size."""
    def split_with_sizes(self, split_sizes: Any, dim: Any = 0, *, axis: Any = None) -> tuple[Tensor, ...]:
        r"""Views of pieces along `dim` with the given sizes, which must add up."""
    def sqrt(self, *, out: Any = None) -> Tensor:
        r"""The square root; nan below 0. Its gradient at 0 is infinite."""
    def sqrt_(self) -> Tensor:
        r"""`sqrt` in place: writes into `input` and returns it."""
    def square(self, *, out: Any = None) -> Tensor:
        r"""`input * input`; its node is that of pow."""
    def square_(self) -> Tensor:
        r"""`square` in place: writes into `input` and returns it."""
    def squeeze(self, dim: Any = ..., *more: Any, axis: Any = ...) -> Tensor:
        r"""torch.squeeze: the method also takes its dimensions one by one."""
    def squeeze_(self, dim: Any = ..., *more: Any, axis: Any = ...) -> Tensor:
        r"""squeeze() in place: the tensor itself becomes the view."""
    def sspaddmm(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        r"""beta input + alpha mat1 @ mat2 of two sparse matrices and a dense one, as a sparse matrix."""
    def std(self, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = None, out: Any = None) -> Tensor:
        r"""The standard deviation, sqrt(sum |x - mean|^2 / (n - correction)): the root of `var`."""
    def stft(self, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True, pad_mode: Any = 'reflect', normalized: Any = False, onesided: Any = None, return_complex: Any = None, align_to_window: Any = None) -> Any:
        r"""Fourier transforms of overlapping windows.  # (.., length) -> (.., frequencies, frames)"""
    def storage(self) -> Any:
        r"""The memory it lies in, as elements of its dtype; deprecated, as a warning says once."""
    def storage_offset(self) -> Any:
        r"""Elements between the start of the memory and the first element."""
    def storage_type(self) -> Any:
        r"""The class of storage() in its older form: torch.FloatStorage and so on."""
    def stride(self, dim: Any = None) -> Any:
        r"""How many elements apart neighbours are, for each dimension or for one."""
    def sub(self, other: Any, tensor: Any = None, *, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""input - alpha * other, broadcast; dtypes promote."""
    def sub_(self, other: Any, tensor: Any = None, *, alpha: Any = 1) -> Tensor:
        r"""Subtract alpha * other from self in place."""
    def subtract(self, other: Any, third: Any = None, *, alpha: Any = 1, out: Any = None) -> Tensor:
        r"""sub(), by another name: behind a number, alpha may be given by position."""
    def subtract_(self, other: Any, third: Any = None, *, alpha: Any = 1) -> Tensor:
        r"""subtract() in place."""
    def sum(self, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
        r"""The sum of all elements, or over the dimensions `dim`."""
    def sum_to_size(self, *shape: Any, size: Any = None) -> Tensor:
        r"""The sum over the dimensions that broadcasting `size` to the tensor's shape would repeat."""
    def svd(self, some: Any = True, compute_uv: Any = True, *, out: Any = None) -> Any:
        r"""(U, S, V) with `input = U diag(S) V^H`."""
    def swapaxes(self, axis0: Any, axis1: Any) -> Tensor:
        r"""A view with two dimensions swapped: transpose()."""
    def swapaxes_(self, axis0: Any, axis1: Any) -> Tensor:
        r"""swapaxes() in place: the tensor itself becomes the view."""
    def swapdims(self, dim0: Any, dim1: Any) -> Tensor:
        r"""A view with two dimensions swapped: y[..., i, ..., j] = x[..., j, ..., i]."""
    def swapdims_(self, dim0: Any, dim1: Any) -> Tensor:
        r"""transpose() in place: the tensor itself becomes the view."""
    def symeig(self, **kwargs: Any) -> Any:
        r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.eigh."""
    def t(self) -> Tensor:
        r"""The transpose of a matrix, as a view: (n, m) -> (m, n)."""
    def t_(self) -> Tensor:
        r"""t() in place: the tensor itself becomes the view."""
    def take(self, index: Any, *, out: Any = None) -> Tensor:
        r"""Elements of the flattened input; negative indices count back. Shape of index."""
    def take_along_dim(self, indices: Any, dim: Any = None, *, out: Any = None) -> Tensor:
        r"""gather after broadcasting input and indices; without dim, on the flattened input."""
    def tan(self, *, out: Any = None) -> Tensor:
        r"""The tangent, of radians."""
    def tan_(self) -> Tensor:
        r"""`tan` in place: writes into `input` and returns it."""
    def tanh(self, *, out: Any = None) -> Tensor:
        r"""The hyperbolic tangent: every number into (-1, 1)."""
    def tanh_(self) -> Tensor:
        r"""`tanh` in place: writes into `input` and returns it."""
    def tensor_split(self, places: Any = None, dim: Any = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
        r"""Views of nearly equal pieces, or of the pieces between the given places."""
    def tile(self, *times: Any, dims: Any = None) -> Tensor:
        r"""repeat(), with missing leading counts taken as 1."""
    def to(self, *args: Any, tensor: Any = None, device: Any = None, dtype: Any = None, non_blocking: Any = False, copy: Any = False, memory_format: Any = None) -> Tensor:
        r"""The tensor in another dtype or on another device: to(dtype), to(device), to(other)."""
    def to_dense(self, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
        r"""The dense tensor of a sparse one; a dense one is itself."""
    def to_sparse(self, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: Any = None) -> Tensor:
        r"""The nonzero elements as a sparse tensor, in coordinates of the first `sparse_dim` dimensions."""
    def to_sparse_bsc(self, *args: Any, **kwargs: Any) -> Tensor:
        r"""Raises NotImplementedError: there are no sparse tensors in blocks."""
    def to_sparse_bsr(self, *args: Any, **kwargs: Any) -> Tensor:
        r"""Raises NotImplementedError: there are no sparse tensors in blocks."""
    def to_sparse_coo(self) -> Any:
        r"""to_sparse()."""
    def to_sparse_csc(self, dense_dim: Any = None) -> Tensor:
        r"""The matrix column by column, of the layout torch.sparse_csc."""
    def to_sparse_csr(self, dense_dim: Any = None) -> Tensor:
        r"""The matrix row by row, of the layout torch.sparse_csr."""
    def tolist(self) -> Any:
        r"""The elements as (nested) lists of Python numbers; of a 0-d tensor its one number."""
    def topk(self, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True, *, out: Any = None) -> Any:
        r"""(values, indices) of the k largest elements along dim, or of the k smallest."""
    def trace(self, *, out: Any = None) -> Tensor:
        r"""The sum of a matrix's diagonal: (n, m) -> (). Raises RuntimeError for any other"""
    def transpose(self, dim0: Any, dim1: Any) -> Tensor:
        r"""A view with two dimensions swapped: y[..., i, ..., j] = x[..., j, ..., i]."""
    def transpose_(self, dim0: Any, dim1: Any) -> Tensor:
        r"""transpose() in place: the tensor itself becomes the view."""
    def triangular_solve(self, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False, *, out: Any = None) -> Any:
        r"""(solution, A) of `A X = input` for a triangular A, or of its transpose."""
    def tril(self, diagonal: Any = 0, *, out: Any = None) -> Tensor:
        r"""The lower triangle of matrices, on and below the given diagonal (0 is the main one,"""
    def tril_(self, diagonal: Any = 0) -> Tensor:
        r"""`tril` in place: writes into `input` and returns it."""
    def triu(self, diagonal: Any = 0, *, out: Any = None) -> Tensor:
        r"""The upper triangle of matrices, on and above the given diagonal (0 is the main one,"""
    def triu_(self, diagonal: Any = 0) -> Tensor:
        r"""`triu` in place: writes into `input` and returns it."""
    def true_divide(self, other: Any, *, out: Any = None) -> Tensor:
        r"""input / other; the same as div without rounding."""
    def true_divide_(self, other: Any) -> Tensor:
        r"""Divide self by other in place."""
    def trunc(self, *, out: Any = None) -> Tensor:
        r"""The next integer towards 0; the gradient is 0."""
    def trunc_(self) -> Tensor:
        r"""`trunc` in place: writes into `input` and returns it."""
    def type(self, dtype: Any = None, non_blocking: Any = False, *, memory_format: Any = None) -> Any:
        r"""The name of its type, "torch.FloatTensor"; or the tensor in another dtype."""
    def type_as(self, other: Any) -> Tensor:
        r"""The elements in the dtype of `other`."""
    def unbind(self, dim: Any = 0, *, axis: Any = None) -> tuple[Tensor, ...]:
        r"""The slices along `dim`, as views in a tuple: (n, m) -> n of (m,) for dim=0."""
    def unflatten(self, dim: Any, sizes: Any) -> Tensor:
        r"""Dimension `dim` as several, of the given sizes (one may be -1)."""
    def unfold(self, dimension: Any, size: Any, step: Any) -> Tensor:
        r"""All windows of `size` elements, `step` apart, along a dimension; they form the last one."""
    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None) -> Tensor:
        r"""Fill with values uniform in [from, to); raises RuntimeError for from > to."""
    def unique(self, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
        r"""The distinct elements (or slices along dim), in order. Not differentiable."""
    def unique_consecutive(self, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
        r"""The first of each run of equal elements (or of equal slices along dim)."""
    def unsafe_chunk(self, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
        r"""chunk() into tensors that may be written to; see unsafe_split."""
    def unsafe_split(self, split_size: Any, dim: Any = 0) -> tuple[Tensor, ...]:
        r"""split() into tensors that may be written to: autograd does not know that they share memory,"""
    def unsafe_split_with_sizes(self, split_sizes: Any, dim: Any = 0) -> tuple[Tensor, ...]:
        r"""split_with_sizes() into tensors that may be written to; see unsafe_split."""
    def unsqueeze(self, dim: Any = None, *, axis: Any = None) -> Tensor:
        r"""A view with a new dimension of size 1 at `dim`: (2, 3) -> (2, 1, 3) for dim=1."""
    def unsqueeze_(self, dim: Any = None, *, axis: Any = None) -> Tensor:
        r"""unsqueeze() in place: the tensor itself becomes the view."""
    def untyped_storage(self) -> Any:
        r"""The memory it lies in, shared with all its views, as bytes."""
    def values(self) -> Tensor:
        r"""(n, ...): the elements of a coalesced sparse tensor; recorded."""
    def var(self, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = None, out: Any = None) -> Tensor:
        r"""The variance, sum |x - mean|^2 / (n - correction), over everything or the dimensions `dim`."""
    def vdot(self, other: Any, *, out: Any = None) -> Tensor:
        r"""The dot product of conj(input) and other."""
    def view(self, *shape: Any, dtype: Any = None, size: Any = None) -> Tensor:
        r"""The same memory with another shape, or read as elements of another dtype."""
    def view_as(self, other: Any) -> Tensor:
        r"""view() with the shape of `other`."""
    def vsplit(self, places: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        r"""Views of equal pieces along dimension 0, or cut at given places."""
    def where(self, condition: Any, other: Any = None) -> Tensor:
        r"""self where the condition holds, else `other`."""
    def xlogy(self, other: Any, *, out: Any = None) -> Tensor:
        r"""`input * log(other)`, and 0 where input is 0."""
    def xlogy_(self, other: Any) -> Tensor:
        r"""`xlogy` in place: writes into `input` and returns it."""
    def xpu(self, device: Any = None, non_blocking: Any = False, memory_format: Any = None) -> Tensor:
        r"""Raises PyTorch's error of a build without XPU."""
    def zero_(self) -> Tensor:
        r"""Write zeros."""
    @property
    def T(self) -> Tensor: ...
    @property
    def name(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    @property
    def mH(self) -> Tensor: ...
    @property
    def H(self) -> Tensor: ...
    @property
    def itemsize(self) -> _int: ...
    @property
    def nbytes(self) -> _int: ...

def BFloat16Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.bfloat16 from sizes or data; isinstance() asks for the dtype."""
def BoolTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.bool from sizes or data; isinstance() asks for the dtype."""
def ByteTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.uint8 from sizes or data; isinstance() asks for the dtype."""
def CharTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.int8 from sizes or data; isinstance() asks for the dtype."""
def DoubleTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float64 from sizes or data; isinstance() asks for the dtype."""
def Float8_e4m3fnTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float8_e4m3fn from sizes or data; isinstance() asks for the dtype."""
def Float8_e4m3fnuzTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float8_e4m3fnuz from sizes or data; isinstance() asks for the dtype."""
def Float8_e5m2Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float8_e5m2 from sizes or data; isinstance() asks for the dtype."""
def Float8_e5m2fnuzTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float8_e5m2fnuz from sizes or data; isinstance() asks for the dtype."""
def Float8_e8m0fnuTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float8_e8m0fnu from sizes or data; isinstance() asks for the dtype."""
def FloatTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float32 from sizes or data; isinstance() asks for the dtype."""
def HalfTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.float16 from sizes or data; isinstance() asks for the dtype."""
def IntTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.int32 from sizes or data; isinstance() asks for the dtype."""
def LongTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.int64 from sizes or data; isinstance() asks for the dtype."""
def QInt32Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.qint32 from sizes or data; isinstance() asks for the dtype."""
def QInt8Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.qint8 from sizes or data; isinstance() asks for the dtype."""
def QUInt2x4Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.quint2x4 from sizes or data; isinstance() asks for the dtype."""
def QUInt4x2Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.quint4x2 from sizes or data; isinstance() asks for the dtype."""
def QUInt8Tensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.quint8 from sizes or data; isinstance() asks for the dtype."""
def ShortTensor(*args: Any, **options: Any) -> Any:
    r"""A tensor of torch.int16 from sizes or data; isinstance() asks for the dtype."""
def _chunk_cat(tensors: Any, dim: Any, num_chunks: Any, *, out: Any = None) -> Tensor:
    r"""Each tensor cut along `dim` into `num_chunks` flattened pieces (zeros fill the last); piece"""
def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Tensor:
    r"""The derivative of a Dirichlet value's component by its concentration alpha."""
def _grid_sampler_2d_cpu_fallback(input: Any, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    r"""grid_sampler for inputs of 4 dimensions only: RuntimeError for others."""
def _int_mm(input: Any, mat2: Any, *, out: Any = None) -> Tensor:
    r"""The product of two matrices of 8-bit integers, in int32."""
def _log_softmax_backward_data(grad_output: Any, output: Any, dim: Any, input_dtype: Any) -> Tensor:
    r"""The gradient of log_softmax's input: g - exp(y) * sum(g)."""
def _native_batch_norm_legit(input: Any, weight: Any, bias: Any, *rest: Any) -> tuple[Tensor, Tensor, Tensor]:
    r"""native_batch_norm with running statistics, or without any: (training, momentum, eps)."""
def _sample_dirichlet(self: Any, generator: Any = None) -> Tensor:
    r"""A Dirichlet value for each vector of concentrations along the last dimension."""
def _segment_reduce(data: Any, reduce: Any, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: Any = 0, unsafe: Any = False, initial: Any = None) -> Any:
    r"""Reduce ("sum", "mean", "max", "min", "prod") each piece of dimension `axis`."""
def _softmax_backward_data(grad_output: Any, output: Any, dim: Any, input_dtype: Any) -> Tensor:
    r"""The gradient of softmax's input: (g - sum(g * y)) * y."""
def _standard_gamma(self: Any, generator: Any = None) -> Tensor:
    r"""A Gamma(alpha, 1) value for each alpha in `self`, differentiable by alpha."""
def _standard_gamma_grad(self: Any, output: Any) -> Tensor:
    r"""The derivative of such a value by its alpha."""
def _unique(input: Any, sorted: Any = True, return_inverse: Any = False) -> tuple[Tensor, Tensor]:
    r"""(distinct elements, where each element went; empty unless asked for)."""
def _unique2(input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False) -> tuple[Tensor, Tensor, Tensor]:
    r"""(distinct elements, inverse, counts), the last two empty unless asked for."""
def _unique_dim(input: Any, dim: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False) -> Any:
    r"""(distinct slices along dim, inverse, counts), the last two empty unless asked for."""
def _unsafe_masked_index(input: Any, mask: Any, indices: Any, fill: Any) -> Tensor:
    r"""input[indices] where `mask`, else `fill`; masked places may lie outside."""
def _unsafe_masked_index_put_accumulate(input: Any, mask: Any, indices: Any, values: Any) -> Tensor:
    r"""A copy of input with values added at the indices where `mask`."""
def abs(input: Any, *, out: Any = None) -> Tensor:
    r"""The absolute value, of complex elements the modulus; the gradient at 0 is 0."""
def abs_(self: Any) -> Tensor:
    r"""abs in place; RuntimeError for complex tensors."""
def absolute(input: Any, *, out: Any = None) -> Tensor:
    r"""The absolute value, of complex elements the modulus; the gradient at 0 is 0."""
def acos(input: Any, *, out: Any = None) -> Tensor:
    r"""The angle whose cosine is `input`, in [0, pi]; nan outside [-1, 1]."""
def acosh(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of cosh, not negative; nan below 1."""
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    r"""Means of parts that make the result (N, C, output_size)."""
def adaptive_max_pool1d(input: Any, output_size: Any) -> tuple[Tensor, Tensor]:
    r"""Maxima of parts that make the result (N, C, output_size), and their indices."""
def add(input: Any, other: Any, tensor: Any = None, *, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""`input + alpha * other`."""
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""beta * input + alpha * the sum over i of batch1[i] @ batch2[i]."""
def addcdiv(input: Any, tensor1: Any, tensor2: Any, tensor: Any = None, *, value: Any = 1, out: Any = None) -> Tensor:
    r"""input + value * tensor1 / tensor2; RuntimeError if both are integers."""
def addcmul(input: Any, tensor1: Any, tensor2: Any, tensor: Any = None, *, value: Any = 1, out: Any = None) -> Tensor:
    r"""input + value * tensor1 * tensor2."""
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""beta * input + alpha * (mat1 @ mat2): (n, m) or what expands to it, (n, k), (k, m) -> (n, m)."""
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""beta * input + alpha * (mat @ vec): (n) or what expands to it, (n, k), (k) -> (n)."""
def addmv_(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    r"""addmv in place."""
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""beta * input + alpha * (vec1 outer vec2): (n, m) or what expands to it, (n), (m) -> (n, m)."""
def adjoint(input: Any) -> Tensor:
    r"""The conjugate transpose of each matrix; the conjugate of a number."""
def affine_grid_generator(theta: Any, size: Any, align_corners: Any) -> Tensor:
    r"""The grid at which grid_sampler applies the affine maps theta (N, 2, 3) or (N, 3, 4)."""
def alias_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""alias, but a copy and not a view."""
def all(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""Whether every element is non-zero, or every one along `dim`; bool (uint8 for uint8)."""
def allclose(input: Any, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> _bool:
    r"""True if every |input - other| <= atol + rtol * |other|."""
def amax(input: Any, dim: Any = ..., keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""The largest elements over the dimensions `dim` (all by default); ties share the gradient."""
def amin(input: Any, dim: Any = ..., keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""The smallest elements over the dimensions `dim` (all by default); ties share the gradient."""
def aminmax(input: Any, *, dim: Any = None, keepdim: Any = False, out: Any = None) -> Any:
    r"""(min, max) of everything, or along `dim`."""
def angle(input: Any, *, out: Any = None) -> Tensor:
    r"""The argument of complex numbers in radians, within +-pi; of real ones 0, or pi below"""
def any(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""Whether some element is non-zero, or some along `dim`; bool (uint8 for uint8)."""
def arange(*args: Any, start: Any = None, end: Any = None, step: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""start, start + step, ... below end: arange(end), arange(start, end, step=1)."""
def arccos(input: Any, *, out: Any = None) -> Tensor:
    r"""The angle whose cosine is `input`, in [0, pi]; nan outside [-1, 1]."""
def arccos_(input: Any) -> Tensor:
    r"""`acos` in place: writes into `input` and returns it."""
def arccosh(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of cosh, not negative; nan below 1."""
def arccosh_(input: Any) -> Tensor:
    r"""`acosh` in place: writes into `input` and returns it."""
def arcsin(input: Any, *, out: Any = None) -> Tensor:
    r"""The angle whose sine is `input`, within +-pi/2; nan outside [-1, 1]."""
def arcsin_(input: Any) -> Tensor:
    r"""`asin` in place: writes into `input` and returns it."""
def arcsinh(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of sinh."""
def arcsinh_(input: Any) -> Tensor:
    r"""`asinh` in place: writes into `input` and returns it."""
def arctan(input: Any, *, out: Any = None) -> Tensor:
    r"""The angle whose tangent is `input`, within +-pi/2."""
def arctan2(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The angle of the point (other, input), within +-pi: arctan(input / other) with the"""
def arctan2_(input: Any, other: Any) -> Tensor:
    r"""`atan2` in place: writes into `input` and returns it."""
def arctan_(input: Any) -> Tensor:
    r"""`atan` in place: writes into `input` and returns it."""
def arctanh(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of tanh; nan outside [-1, 1]."""
def arctanh_(input: Any) -> Tensor:
    r"""`atanh` in place: writes into `input` and returns it."""
def argmax(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""The index of the largest element (of several, the first): of all elements, or along `dim`."""
def argmin(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""Where the smallest element lies (the first of several), in everything or along `dim`."""
def argsort(input: Any, dim: Any = -1, descending: Any = False, *, stable: Any = False, out: Any = None) -> Tensor:
    r"""The places that sort takes its values from."""
def argwhere(input: Any) -> Tensor:
    r"""The places of the nonzero elements, one row each.  # (count, ndim)"""
def as_strided(input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    r"""A view with any sizes and strides (in elements) of the memory, from `storage_offset` on."""
def as_strided_(input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    r"""as_strided() in place: the tensor itself becomes the view."""
def as_strided_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""as_strided, but a copy and not a view."""
def as_strided_scatter(input: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    r"""A copy of input with src in place of input.as_strided(size, stride, storage_offset)."""
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    r"""`data` as a tensor, sharing its memory where its kind and dtype allow."""
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: Any = None, requires_grad: Any = None) -> Tensor:
    r"""`obj` (tensor, array, DLPack or buffer object, number or sequence) as a tensor."""
def asin(input: Any, *, out: Any = None) -> Tensor:
    r"""The angle whose sine is `input`, within +-pi/2; nan outside [-1, 1]."""
def asinh(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of sinh."""
def atan(input: Any, *, out: Any = None) -> Tensor:
    r"""The angle whose tangent is `input`, within +-pi/2."""
def atan2(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The angle of the point (other, input), within +-pi: arctan(input / other) with the"""
def atanh(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of tanh; nan outside [-1, 1]."""
def atleast_1d(*tensors: Any) -> Any:
    r"""The tensors with at least 1 dimensions, as views."""
def atleast_2d(*tensors: Any) -> Any:
    r"""The tensors with at least 2 dimensions, as views."""
def atleast_3d(*tensors: Any) -> Any:
    r"""The tensors with at least 3 dimensions, as views."""
def avg_pool1d(input: Any, kernel_size: Any, stride: Any = ..., padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True) -> Tensor:
    r"""The mean of each window of (N, C, L) or (C, L)."""
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""beta * input + alpha * (batch1 @ batch2), matrix by matrix."""
def bartlett_window(window_length: Any, periodic: Any = True, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""A triangle: 2 i / (n - 1) up to the middle, then 2 - 2 i / (n - 1)."""
def batch_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: Any, momentum: Any, eps: Any, cudnn_enabled: Any = True) -> Tensor:
    r"""Standardizes each channel of (N, C, ...) (Ioffe and Szegedy 2015)."""
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    r"""Ones with the probabilities that `input` holds (or all with probability p), else zeros."""
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    r"""sum over i, j of input1[..., i] * weight[k, i, j] * input2[..., j], plus bias[k]."""
def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: Any = 0) -> Tensor:
    r"""Binary cross entropy of sigmoid(input), without overflow."""
def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Tensor:
    r"""How often each of 0, 1, 2 .. occurs in the vector input, or the sum of its weights."""
def binomial(count: Any, prob: Any, generator: Any = None) -> Tensor:
    r"""The successes in `count` trials of probability `prob`, elementwise."""
def bitwise_and(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input & other`, for integers and bool."""
def bitwise_left_shift(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input << other`, for integers: input * 2**other."""
def bitwise_not(input: Any, *, out: Any = None) -> Tensor:
    r"""`~input`, for integers and bool."""
def bitwise_or(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input | other`, for integers and bool."""
def bitwise_right_shift(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input >> other`, for integers: input / 2**other, rounded down."""
def bitwise_xor(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input ^ other`, for integers and bool."""
def blackman_window(window_length: Any, periodic: Any = True, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1))."""
def block_diag(*tensors: Any) -> Tensor:
    r"""A matrix with the given matrices along its diagonal and zeros elsewhere."""
def bmm(input: Any, mat2: Any, *, out: Any = None) -> Tensor:
    r"""Products of the matrices of two batches of one dtype: (b, n, k) (b, k, m) -> (b, n, m)."""
def broadcast_shapes(*shapes: Any) -> Any:
    r"""The shape that tensors of these shapes broadcast to."""
def broadcast_tensors(*tensors: Any) -> Any:
    r"""All tensors expanded to their common shape."""
def broadcast_to(input: Any, *args: Any, size: Any = None) -> Tensor:
    r"""expand() as a function."""
def bucketize(input: Any, boundaries: Any, *, out_int32: Any = False, right: Any = False, out: Any = None) -> Tensor:
    r"""The bucket between the sorted boundaries that each value of input falls into."""
def cartesian_prod(*tensors: Any) -> Tensor:
    r"""All combinations of the vectors' elements, one in each row."""
def cat(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    r"""Tensors joined along the dimension `dim`: (..., n, ...), (..., m, ...) -> (..., n + m, ...)."""
def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    r"""|x1[i] - x2[j]|_p: (..., P, M) and (..., R, M) -> (..., P, R)."""
def ceil(input: Any, *, out: Any = None) -> Tensor:
    r"""The next integer above; the gradient is 0."""
def celu(input: Any, alpha: Any = 1.0, *, out: Any = None) -> Tensor:
    r"""max(0, x) + min(0, alpha (e**(x / alpha) - 1))."""
def celu_(input: Any, alpha: Any = 1.0) -> Tensor:
    r"""`celu`, in place."""
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    r"""torch.linalg.multi_dot of the matrices given one by one. PyTorch warns: use multi_dot."""
def channel_shuffle(input: Any, groups: Any) -> Tensor:
    r"""Deal the channels of (N, C, *) out of `groups` groups in turn."""
def cholesky(input: Any, upper: Any = False, *, out: Any = None) -> Tensor:
    r"""torch.linalg.cholesky under its older name, with PyTorch's warning."""
def cholesky_inverse(input: Any, upper: Any = False, *, out: Any = None) -> Tensor:
    r"""The inverse of a matrix from its Cholesky factor."""
def cholesky_solve(input: Any, input2: Any, upper: Any = False, *, out: Any = None) -> Tensor:
    r"""X with `A X = input` from the Cholesky factor `input2` of A."""
def chunk(input: Any, chunks: Any, dim: Any = 0, *, axis: Any = None) -> tuple[Tensor, ...]:
    r"""A tuple of at most `chunks` pieces along `dim`, as views; the last may be smaller."""
def clamp(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    r"""Each element limited to [min, max]: `minimum(maximum(input, min), max)`."""
def clamp_(self: Any, min: Any = None, max: Any = None) -> Tensor:
    r"""clamp in place."""
def clamp_max(input: Any, max: Any, *, out: Any = None) -> Tensor:
    r"""max where the input is larger."""
def clamp_max_(self: Any, max: Any) -> Tensor:
    r"""clamp_max in place."""
def clamp_min(input: Any, min: Any, *, out: Any = None) -> Tensor:
    r"""min where the input is smaller."""
def clamp_min_(self: Any, min: Any) -> Tensor:
    r"""clamp_min in place."""
def clip(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    r"""Each element limited to [min, max]: `minimum(maximum(input, min), max)`."""
def clip_(self: Any, min: Any = None, max: Any = None) -> Tensor:
    r"""clamp in place."""
def clone(input: Any, *, memory_format: Any = None) -> Tensor:
    r"""A recorded copy, in the layout of the input unless `memory_format` says otherwise."""
def column_stack(tensors: Any, *, out: Any = None) -> Tensor:
    r"""Joined along dimension 1; vectors become columns."""
def combinations(input: Any, r: Any = 2, with_replacement: Any = False) -> Tensor:
    r"""The combinations of r elements of a vector, in order, one in each row."""
def complex(real: Any, imag: Any, *, out: Any = None) -> Tensor:
    r"""real + i imag, from two floating tensors of one dtype."""
def concat(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    r"""Tensors joined along the dimension `dim`: (..., n, ...), (..., m, ...) -> (..., n + m, ...)."""
def concatenate(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    r"""Tensors joined along the dimension `dim`: (..., n, ...), (..., m, ...) -> (..., n + m, ...)."""
def conj(input: Any) -> Tensor:
    r"""The complex conjugate; a real tensor is returned as it is."""
def conj_physical(input: Any, *, out: Any = None) -> Tensor:
    r"""The complex conjugate in memory of its own; a real tensor is returned as it is."""
def conj_physical_(self: Any) -> Tensor:
    r"""conj_physical in place."""
def constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Tensor:
    r"""The input with `pad` (last dimension first: before, after) elements of `value` around it."""
def contiguous(input: Any, *, memory_format: Any = None) -> Tensor:
    r"""Itself if its elements lie in order, else a copy in which they do."""
def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    r"""Cross-correlation of (N, C, L) with weight (O, C / groups, *kernel)."""
def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    r"""Cross-correlation of (N, C, H, W) with weight (O, C / groups, *kernel)."""
def conv3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    r"""Cross-correlation of (N, C, D, H, W) with weight (O, C / groups, *kernel)."""
def conv_transpose1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    r"""conv1d transposed: (N, C, L) with weight (C, O / groups, *kernel)."""
def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    r"""conv2d transposed: (N, C, H, W) with weight (C, O / groups, *kernel)."""
def conv_transpose3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    r"""conv3d transposed: (N, C, D, H, W) with weight (C, O / groups, *kernel)."""
def convolution(input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: Any, output_padding: Any, groups: Any) -> Tensor:
    r"""The operator behind conv1d to conv_transpose3d, which have defaults and take fewer arguments."""
def copysign(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""|input| with the sign of `other`, a tensor or a number."""
def corrcoef(input: Any) -> Tensor:
    r"""The correlation matrix of the rows of input."""
def cos(input: Any, *, out: Any = None) -> Tensor:
    r"""The cosine, of radians."""
def cosh(input: Any, *, out: Any = None) -> Tensor:
    r"""The hyperbolic cosine, (e**x + e**-x) / 2."""
def count_nonzero(input: Any, dim: Any = None) -> Tensor:
    r"""How many elements are not zero."""
def cov(input: Any, *, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    r"""The covariance matrix of the rows of input, weighted by counts and by importance."""
def cross(input: Any, other: Any, dim: Any = None, *, out: Any = None) -> Tensor:
    r"""The cross product along dim, by default the first dimension of size 3."""
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0, reduction: Any = 0, zero_infinity: Any = False) -> Tensor:
    r"""-log of the probability of the targets under all alignments (Graves et al. 2006)."""
def cummax(input: Any, dim: Any, *, out: Any = None) -> Any:
    r"""(values, indices) of running maxima along dim and the last place each was reached."""
def cummin(input: Any, dim: Any, *, out: Any = None) -> Any:
    r"""(values, indices) of running minima along dim and the last place each was reached."""
def cumprod(input: Any, dim: Any, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""Running products along dim; integers and bool are multiplied in int64."""
def cumsum(input: Any, dim: Any, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""Running sums along dim: y[i] = x[0] + ... + x[i], of the shape of input."""
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    r"""The running integral of y along dim by the trapezoidal rule."""
def deg2rad(input: Any, *, out: Any = None) -> Tensor:
    r"""Degrees as radians: input * pi / 180."""
def det(input: Any) -> Tensor:
    r"""linalg.det by its older name."""
def detach(self: Any) -> Tensor:
    r"""A tensor of the same memory and version counter, outside the graph."""
def detach_(self: Any) -> Tensor:
    r"""Cut this tensor from its history; it becomes a leaf that does not require grad."""
def detach_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""detach, but a copy and not a view."""
def diag(input: Any, diagonal: Any = 0, *, out: Any = None) -> Tensor:
    r"""The diagonal of a matrix (n, m), or the matrix (n, n) with a vector on its diagonal."""
def diag_embed(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    r"""A matrix for each vector in the last dimension, with the vector on its diagonal."""
def diagflat(input: Any, offset: Any = 0) -> Tensor:
    r"""A matrix with all elements on its diagonal."""
def diagonal(input: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    r"""The elements where the two dimensions' indices differ by `offset`, in a last dimension."""
def diagonal_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""diagonal, but a copy and not a view."""
def diagonal_scatter(input: Any, src: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    r"""A copy of input with src in place of input.diagonal(offset, dim1, dim2)."""
def diff(input: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None, *, out: Any = None) -> Tensor:
    r"""The n-th differences of neighbours along dim, prepend and append being joined on first."""
def digamma(input: Any, *, out: Any = None) -> Tensor:
    r"""The derivative of lgamma."""
def dist(input: Any, other: Any, p: Any = 2) -> Tensor:
    r"""The p-norm of input - other."""
def div(input: Any, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
    r"""input / other; with rounding_mode "trunc" or "floor" the rounded quotient."""
def divide(input: Any, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
    r"""input / other; with rounding_mode "trunc" or "floor" the rounded quotient."""
def dot(input: Any, tensor: Any, *, out: Any = None) -> Tensor:
    r"""The sum of the products of two vectors' elements (no conjugate is taken)."""
def dsmm(input: Any, mat2: Any) -> Tensor:
    r"""The product of two matrices, sparse or not."""
def dsplit(input: Any, places: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    r"""Views of equal pieces along dimension 2, or cut at given places."""
def dstack(tensors: Any, *, out: Any = None) -> Tensor:
    r"""Joined along dimension 2."""
def eig(*args: Any, **kwargs: Any) -> Any:
    r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.eig."""
def einsum(equation: Any, *operands: Any) -> Tensor:
    r"""The sum of products that the equation describes, such as "bij,bjk->bik"."""
def embedding(weight: Any, indices: Any, padding_idx: Any = -1, scale_grad_by_freq: Any = False, sparse: Any = False) -> Tensor:
    r"""weight[indices]: (V, D) and any shape of indices -> (*indices.shape, D)."""
def embedding_bag(weight: Any, indices: Any, offsets: Any, scale_grad_by_freq: Any = False, mode: Any = 0, sparse: Any = False, per_sample_weights: Any = None, include_last_offset: Any = False, padding_idx: Any = None) -> Any:
    r"""Sum (mode 0), mean (1) or maximum (2) of the rows of each bag, and what backward needs."""
def embedding_renorm_(weight: Any, indices: Any, max_norm: Any, norm_type: Any) -> Tensor:
    r"""Scale the rows that indices name to at most max_norm, in place."""
def empty(*args: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Uninitialised memory of the given sizes."""
def empty_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Uninitialised memory in the shape, dtype and memory order of `input`."""
def empty_permuted(size: Any, physical_layout: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Uninitialised memory whose dimensions lie in the order `physical_layout`, outermost first."""
def empty_strided(size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Uninitialised memory with the given sizes and strides (in elements)."""
def eq(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input == other`, element by element; `equal` compares whole tensors."""
def equal(input: Any, other: Any) -> _bool:
    r"""True if both have the same shape and elements."""
def erf(input: Any, *, out: Any = None) -> Tensor:
    r"""The error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
def erfc(input: Any, *, out: Any = None) -> Tensor:
    r"""1 - erf(input), exact for large elements too."""
def erfinv(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of erf; infinite at -1 and 1, nan beyond."""
def exp(input: Any, *, out: Any = None) -> Tensor:
    r"""e to the power of each element."""
def exp2(input: Any, *, out: Any = None) -> Tensor:
    r"""2 to the power of each element."""
def expand_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""expand, but a copy and not a view."""
def expm1(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(input) - 1, exact for small elements too."""
def eye(*args: Any, n: Any = None, m: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Ones on the diagonal of an (n, m) matrix of zeros; m is n unless given."""
def fake_quantize_per_channel_affine(input: Any, scale: Any, zero_point: Any, axis: Any, quant_min: Any, quant_max: Any) -> Tensor:
    r"""fake_quantize_per_tensor_affine with a scale and a zero point for each slice along `axis`."""
def fake_quantize_per_tensor_affine(input: Any, scale: Any, zero_point: Any, quant_min: Any, quant_max: Any) -> Tensor:
    r"""(clamp(round(input / scale) + zero_point, quant_min, quant_max) - zero_point) * scale."""
def fill(input: Any, value: Any) -> Tensor:
    r"""A tensor like input, filled with one number or a 0-d tensor."""
def fill_(self: Any, value: Any) -> Tensor:
    r"""Write one number (or a 0-d tensor) into every element."""
def fix(input: Any, *, out: Any = None) -> Tensor:
    r"""The next integer towards 0; the gradient is 0."""
def fix_(input: Any) -> Tensor:
    r"""`trunc` in place: writes into `input` and returns it."""
def flatten(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    r"""Dimensions start_dim to end_dim as one: (2, 3, 4) -> (2, 12) for start_dim=1."""
def flip(input: Any, *order: Any, dims: Any = None) -> Tensor:
    r"""A copy in reverse order along `dims`: flip(x, 0, 1), flip(x, (0, 1)), flip(x, dims=[0])."""
def fliplr(input: Any) -> Tensor:
    r"""flip() along dimension 1."""
def flipud(input: Any) -> Tensor:
    r"""flip() along dimension 0."""
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    r"""input ** exponent computed in float64 (complex128 for complex operands)."""
def floor(input: Any, *, out: Any = None) -> Tensor:
    r"""The next integer below; the gradient is 0."""
def floor_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input / other`, rounded down: floor(input / other). Not differentiable."""
def fmax(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The larger of two elements, and the other one where one is nan."""
def fmin(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The smaller of two elements, and the other one where one is nan."""
def fmod(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""C's fmod: input - other * trunc(input / other), with the sign of `input`."""
def frac(input: Any, *, out: Any = None) -> Tensor:
    r"""input - trunc(input): what trunc takes away, with its sign."""
def frexp(input: Any, *, out: Any = None) -> Any:
    r"""(mantissa, exponent) with input = mantissa * 2**exponent and mantissa in [0.5, 1)."""
def frobenius_norm(input: Any, dim: Any, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""torch.linalg.vector_norm of order 2 under an older name, with PyTorch's warning."""
def from_file(filename: Any, shared: Any = None, size: Any = 0, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""A 1-d tensor of `size` elements on a file mapped into memory."""
def from_numpy(ndarray: Any) -> Tensor:
    r"""A tensor that shares the array's memory."""
def frombuffer(buffer: Any, *, dtype: Any, count: Any = -1, offset: Any = 0, requires_grad: Any = False) -> Tensor:
    r"""A 1-d tensor on the memory of an object with the buffer protocol; ValueError for others."""
def full(size: Any, fill_value: Any, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""`fill_value` everywhere; its kind decides the dtype."""
def full_like(input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""`fill_value` in the shape, dtype and memory order of `input`."""
def gather(input: Any, dim: Any, index: Any, *, sparse_grad: Any = False, out: Any = None) -> Tensor:
    r"""One element for each index: `out[i][j] = input[index[i][j]][j]` for dim 0."""
def gcd(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The greatest common divisor of integers, not negative."""
def ge(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input >= other`, element by element."""
def geqrf(input: Any, *, out: Any = None) -> Any:
    r"""(a, tau): R above a's diagonal, the vectors of Householder's reflections below."""
def ger(input: Any, vec2: Any, *, out: Any = None) -> Tensor:
    r"""The products of each element of one vector with each of another: (n) (m) -> (n, m)."""
def get_device(input: Any) -> Any:
    r"""The number of the tensor's GPU: -1, for the CPU."""
def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: Any = 1) -> tuple[Tensor, ...]:
    r"""Estimates of the derivatives along dim (all dimensions by default), a tuple of tensors."""
def greater(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input > other`, element by element."""
def greater_(input: Any, other: Any) -> Tensor:
    r"""`gt` in place: writes into `input` and returns it."""
def greater_equal(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input >= other`, element by element."""
def greater_equal_(input: Any, other: Any) -> Tensor:
    r"""`ge` in place: writes into `input` and returns it."""
def grid_sampler(input: Any, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    r"""input (N, C, *space) at the positions of grid (N, *out, dims), in [-1, 1], last axis first."""
def grid_sampler_2d(input: Any, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    r"""grid_sampler for inputs of 4 dimensions only: RuntimeError for others."""
def grid_sampler_3d(input: Any, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    r"""grid_sampler for inputs of 5 dimensions only: RuntimeError for others."""
def group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05, cudnn_enabled: Any = True) -> Tensor:
    r"""Standardizes each of num_groups groups of channels of each image (Wu and He 2018)."""
def gt(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input > other`, element by element."""
def hamming_window(window_length: Any, periodic: Any = True, alpha: Any = 0.54, beta: Any = 0.46, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""alpha - beta cos(2 pi i / (n - 1))."""
def hann_window(window_length: Any, periodic: Any = True, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""1/2 - 1/2 cos(2 pi i / (n - 1))."""
def hardshrink(input: Any, lambd: Any = 0.5, *, out: Any = None) -> Tensor:
    r"""`input` where it is beyond +-lambd, 0 between."""
def hash_tensor(input: Any, dim: Any = ..., *, keepdim: Any = False, mode: Any = 0, out: Any = None) -> Tensor:
    r"""The exclusive or of the elements' bits along `dim` (all by default), as uint64."""
def heaviside(input: Any, values: Any, *, out: Any = None) -> Tensor:
    r"""0 below 0, 1 above, and `values` at 0. Not differentiable."""
def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0, *, out: Any = None) -> Tensor:
    r"""Counts in equal bins between min and max; if these are equal, between the extremes."""
def histogram(input: Any, bins: Any = 100, *, range: Any = None, weight: Any = None, density: Any = False, out: Any = None) -> Any:
    r"""(hist, bin_edges): counts, or sums of weight, between edges; bins is a number or the edges."""
def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: Any = False) -> Any:
    r"""(hist, bin_edges) of points, rows of input, over a box of bins in several dimensions."""
def hsmm(mat1: Any, mat2: Any) -> Tensor:
    r"""The product of a sparse and a dense matrix, a sparse tensor of the rows that mat1 has."""
def hsplit(input: Any, places: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    r"""Views of equal pieces along dimension 1, or cut at given places."""
def hspmm(mat1: Any, mat2: Any) -> Tensor:
    r"""The product of a sparse and a dense matrix, a sparse tensor of the rows that mat1 has."""
def hstack(tensors: Any, *, out: Any = None) -> Tensor:
    r"""Joined along dimension 1 (0 for vectors)."""
def hypot(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""sqrt(input**2 + other**2), without overflow on the way."""
def i0(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the first kind, of order 0."""
def igamma(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The regularised lower incomplete gamma function P(input, other). Differentiable in"""
def igammac(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The regularised upper incomplete gamma function, 1 - igamma(input, other)."""
def imag(input: Any) -> Tensor:
    r"""The imaginary part as a view; RuntimeError for real tensors."""
def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""A copy of input with alpha times the slices of source added at index."""
def index_copy(input: Any, dim: Any, index: Any, source: Any, *, out: Any = None) -> Tensor:
    r"""A copy of input with the slices of source written at index."""
def index_fill(input: Any, dim: Any, index: Any, value: Any, *, out: Any = None) -> Tensor:
    r"""A copy of input with the slices at index filled with value, a number or a 0-d tensor."""
def index_put(input: Any, indices: Any, values: Any, accumulate: Any = False, *, out: Any = None) -> Tensor:
    r"""A copy of input with `out[indices] = values`, or += values with accumulate."""
def index_put_(input: Any, indices: Any, values: Any, accumulate: Any = False) -> Tensor:
    r"""`index_put` in place: writes into `input` and returns it."""
def index_reduce(input: Any, dim: Any, index: Any, source: Any, reduce: Any, *, include_self: Any = True, out: Any = None) -> Tensor:
    r"""Like index_add, with reduce "prod", "mean", "amax" or "amin"."""
def index_select(input: Any, dim: Any, index: Any, *, out: Any = None) -> Tensor:
    r"""The slices of input along dim that the vector index names, in its order, as a copy."""
def inner(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""Dot products over the last dimensions: (*a, k) (*b, k) -> (*a, *b); numbers multiply."""
def inverse(input: Any, *, out: Any = None) -> Tensor:
    r"""torch.linalg.inv."""
def is_complex(input: Any) -> _bool:
    r"""Whether the dtype is a complex one."""
def is_conj(input: Any) -> _bool:
    r"""False: a conjugate is never pending here."""
def is_distributed(input: Any) -> _bool:
    r"""Always False: a tensor lies in one process."""
def is_floating_point(input: Any) -> _bool:
    r"""Whether the dtype is a floating one."""
def is_inference(input: Any) -> _bool:
    r"""Whether the tensor was made under inference_mode."""
def is_neg(input: Any) -> _bool:
    r"""False: a negation is never pending here."""
def is_nonzero(input: Any) -> _bool:
    r"""The truth of a tensor with one element."""
def is_same_size(input: Any, other: Any) -> _bool:
    r"""Whether both have the same shape."""
def is_signed(input: Any) -> _bool:
    r"""Whether the dtype has negative numbers."""
def is_tensor(obj: Any) -> Any:
    r"""Whether `obj` is a Tensor."""
def isclose(input: Any, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Tensor:
    r"""Where |input - other| <= atol + rtol * |other|."""
def isfinite(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element is neither infinite nor nan."""
def isin(elements: Any = None, test_elements: Any = None, *, element: Any = None, test_element: Any = None, assume_unique: Any = False, invert: Any = False, out: Any = None) -> Tensor:
    r"""Whether each element is among test_elements."""
def isinf(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element is infinite, of either sign."""
def isnan(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element is not a number."""
def isneginf(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element is -infinity."""
def isposinf(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element is +infinity."""
def isreal(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element has no imaginary part; True for real dtypes."""
def istft(input: Any, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True, normalized: Any = False, onesided: Any = None, length: Any = None, return_complex: Any = False) -> Tensor:
    r"""The signal whose stft is input: overlapping frames added, divided by the squared windows."""
def kaiser_window(window_length: Any, periodic: Any = True, beta: Any = 12.0, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""I0(beta sqrt(1 - (2 i / (n - 1) - 1)^2)) / I0(beta), I0 a Bessel function."""
def kron(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The Kronecker product."""
def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: Any = False, *, out: Any = None) -> Any:
    r"""(values, indices) of the k-th smallest element along dim, k counted from 1."""
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05, cudnn_enable: Any = True) -> Tensor:
    r"""(input - mean) / sqrt(var + eps) * weight + bias over the last dimensions (Ba et al. 2016)."""
def lcm(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The least common multiple of integers, not negative."""
def ldexp(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input * 2**other`."""
def ldexp_(self: Any, other: Any) -> Tensor:
    r"""ldexp in place; RuntimeError for a tensor of integers."""
def le(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input <= other`, element by element."""
def lerp(input: Any, end: Any, weight: Any, *, out: Any = None) -> Tensor:
    r"""input + weight * (end - input): linear interpolation; weight is a number or a tensor."""
def less(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input < other`, element by element."""
def less_(input: Any, other: Any) -> Tensor:
    r"""`lt` in place: writes into `input` and returns it."""
def less_equal(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input <= other`, element by element."""
def less_equal_(input: Any, other: Any) -> Tensor:
    r"""`le` in place: writes into `input` and returns it."""
def lgamma(input: Any, *, out: Any = None) -> Tensor:
    r"""log |Gamma(input)|."""
def linspace(start: Any, end: Any, steps: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""`steps` evenly spaced values: start + i (end - start) / (steps - 1), both ends included."""
def log(input: Any, *, out: Any = None) -> Tensor:
    r"""The natural logarithm: -inf at 0, nan below."""
def log10(input: Any, *, out: Any = None) -> Tensor:
    r"""The logarithm to base 10."""
def log1p(input: Any, *, out: Any = None) -> Tensor:
    r"""log(1 + input), exact for small elements too."""
def log2(input: Any, *, out: Any = None) -> Tensor:
    r"""The logarithm to base 2."""
def log_softmax(input: Any, dim: Any = None, dtype: Any = None, *, out: Any = None, axis: Any = None) -> Tensor:
    r"""input - log(sum(exp(input))) along `dim`."""
def logaddexp(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""log(e**input + e**other), without overflow on the way."""
def logaddexp2(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""log2(2**input + 2**other), without overflow on the way."""
def logcumsumexp(input: Any, dim: Any, *, out: Any = None) -> Tensor:
    r"""`log(cumsum(exp(input)))` along dim without overflow."""
def logdet(input: Any) -> Tensor:
    r"""The log of the determinants; nan where it is negative."""
def logical_and(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""Whether both elements are true, that is not 0."""
def logical_not(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether each element is 0."""
def logical_or(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""Whether at least one of two elements is true, that is not 0."""
def logical_xor(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""Whether exactly one of two elements is true, that is not 0."""
def logit(input: Any, eps: Any = None, *, out: Any = None) -> Tensor:
    r"""log(x / (1 - x)), the inverse of sigmoid; with `eps`, x is first clamped to [eps, 1"""
def logspace(start: Any, end: Any, steps: Any = None, base: Any = 10.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""base ** x for `steps` evenly spaced x from start to end, both included."""
def logsumexp(input: Any, dim: Any, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""log(sum(exp(x))) over `dim`, an int or several, computed so that nothing overflows."""
def lstsq(*args: Any, **kwargs: Any) -> Any:
    r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.lstsq."""
def lt(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input < other`, element by element."""
def lu(A: Any, pivot: Any = True, get_infos: Any = False, out: Any = None) -> Any:
    r"""(LU, pivots), with get_infos also info: torch.linalg.lu_factor_ex under an older name."""
def lu_solve(input: Any, LU_data: Any, LU_pivots: Any, *, out: Any = None) -> Tensor:
    r"""torch.linalg.lu_solve with the right-hand side first, with PyTorch's warning."""
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: Any = True, unpack_pivots: Any = True, *, out: Any = None) -> Any:
    r"""(P, L, U) from what lu_factor returns."""
def masked_fill(input: Any, mask: Any, value: Any, *, out: Any = None) -> Tensor:
    r"""A copy of input with `value` where the mask is True."""
def masked_fill_(input: Any, mask: Any, value: Any) -> Tensor:
    r"""`masked_fill` in place: writes into `input` and returns it."""
def masked_scatter(input: Any, mask: Any, source: Any, *, out: Any = None) -> Tensor:
    r"""A copy of input with source's elements, in order, where the bool mask is true."""
def masked_select(input: Any, mask: Any, *, out: Any = None) -> Tensor:
    r"""The elements of input where the bool mask is true, as a vector."""
def matmul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The matrix product `input @ other`."""
def matrix_exp(input: Any) -> Tensor:
    r"""The exponential of square matrices."""
def matrix_power(input: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""The n-th power of square matrices; inverses for n < 0."""
def matrix_rank(*args: Any, **kwargs: Any) -> Any:
    r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.matrix_rank."""
def max(input: Any, dim: Any = None, keepdim: Any = False, *, other: Any = None, out: Any = None) -> Any:
    r"""The largest element; with `dim`, (values, indices) along it; of two tensors, `maximum`."""
def max_pool1d(input: Any, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False) -> Tensor:
    r"""The maximum of each window of (N, C, L) or (C, L)."""
def max_pool1d_with_indices(input: Any, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False) -> tuple[Tensor, Tensor]:
    r"""The maximum of each window of (N, C, L) or (C, L), and its index."""
def max_pool2d(input: Any, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False) -> Tensor:
    r"""The maximum of each window of (H, W)."""
def max_pool3d(input: Any, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False) -> Tensor:
    r"""The maximum of each window of (D, H, W)."""
def maximum(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The larger of two elements; nan if either is. At a tie each gets half the"""
def mean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
    r"""The mean of all elements, or over the dimensions `dim`: their sum by their number."""
def median(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Any:
    r"""The lower median of all elements, or (values, indices) along dim; nan wins."""
def meshgrid(*tensors: Any, indexing: Any = None) -> Any:
    r"""Coordinate grids of vectors: views, one for each vector; (n), (m) -> two of (n, m)."""
def min(input: Any, dim: Any = None, keepdim: Any = False, *, other: Any = None, out: Any = None) -> Any:
    r"""The smallest element; with `dim`, (values, indices) along it; of two tensors, `minimum`."""
def minimum(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The smaller of two elements; nan if either is. At a tie each gets half the"""
def mm(input: Any, mat2: Any, *, out: Any = None) -> Tensor:
    r"""The product of two matrices of one dtype: (n, k) (k, m) -> (n, m). No broadcasting."""
def mode(input: Any, dim: Any = -1, keepdim: Any = False, *, out: Any = None) -> Any:
    r"""(values, indices) of the most frequent value along dim, the smallest of several."""
def moveaxis(input: Any, source: Any, destination: Any) -> Tensor:
    r"""Move dimensions to other places, the rest in order."""
def movedim(input: Any, source: Any, destination: Any) -> Tensor:
    r"""Move dimensions to other places, the rest in order."""
def msort(input: Any, *, out: Any = None) -> Tensor:
    r"""The values of input sorted along its first dimension."""
def mul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input * other`."""
def multinomial(input: Any, num_samples: Any, replacement: Any = False, *, generator: Any = None, out: Any = None) -> Tensor:
    r"""Indices drawn in proportion to the weights in `input`, shape (n,) or (rows, n)."""
def multiply(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input * other`."""
def multiply_(input: Any, other: Any) -> Tensor:
    r"""`mul` in place: writes into `input` and returns it."""
def mv(input: Any, vec: Any, *, out: Any = None) -> Tensor:
    r"""Matrix times vector: (n, k) (k) -> (n)."""
def mvlgamma(input: Any, p: Any, *, out: Any = None) -> Tensor:
    r"""The logarithm of the multivariate gamma function of dimension p."""
def nan_to_num(input: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Any = None) -> Tensor:
    r"""`nan` in place of nans (0 if None), `posinf` and `neginf` in place of"""
def nanmean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""The mean of the elements that are not nan."""
def nanmedian(input: Any, dim: Any = None, keepdim: Any = False, *, out: Any = None) -> Any:
    r"""median of the elements that are not nan."""
def nanquantile(input: Any, q: Any, dim: Any = None, keepdim: Any = False, *, interpolation: Any = 'linear', out: Any = None) -> Tensor:
    r"""quantile of the elements that are not nan."""
def nansum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""The sum with nan counted as 0."""
def narrow(input: Any, dim: Any, start: Any, length: Any) -> Tensor:
    r"""`length` slices along `dim` from `start` on, as a view."""
def narrow_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""narrow, but a copy and not a view."""
def native_batch_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: Any, momentum: Any, eps: Any) -> tuple[Tensor, Tensor, Tensor]:
    r"""(batch_norm(input), mean, 1 / standard deviation); the statistics are empty in evaluation."""
def native_channel_shuffle(input: Any, groups: Any) -> Tensor:
    r"""channel_shuffle."""
def native_group_norm(input: Any, weight: Any, bias: Any, N: Any, C: Any, HxW: Any, group: Any, eps: Any) -> tuple[Tensor, Tensor, Tensor]:
    r"""(group_norm(input), mean, 1 / standard deviation); the statistics are (N, group)."""
def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: Any) -> tuple[Tensor, Tensor, Tensor]:
    r"""(layer_norm(input), mean, 1 / standard deviation), over the last dimensions normalized_shape."""
def ne(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input != other`, element by element."""
def neg(input: Any, *, out: Any = None) -> Tensor:
    r"""`-input`. Raises RuntimeError for bool."""
def negative(input: Any, *, out: Any = None) -> Tensor:
    r"""`-input`. Raises RuntimeError for bool."""
def negative_(input: Any) -> Tensor:
    r"""`neg` in place: writes into `input` and returns it."""
def nelement(input: Any) -> Any:
    r"""The number of elements."""
def nextafter(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The next floating-point number after `input` in the direction of `other`."""
def nonzero(input: Any, *, out: Any = None, as_tuple: Any = False) -> Any:
    r"""The places of the nonzero elements: (count, ndim), or a tuple of vectors."""
def nonzero_static(input: Any, *, size: Any, fill_value: Any = -1, out: Any = None) -> Tensor:
    r"""nonzero() with `size` rows: further ones are left out, missing ones hold `fill_value`."""
def norm(input: Any, p: Any = 'fro', dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None) -> Any:
    r"""The vector norm of order p over `dim` (all dimensions by default): (sum |x|^p)^(1/p)."""
def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Normal values: `mean` and `std` are tensors that broadcast, or numbers; then with a `size`."""
def not_equal(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input != other`, element by element."""
def not_equal_(input: Any, other: Any) -> Tensor:
    r"""`ne` in place: writes into `input` and returns it."""
def nuclear_norm(input: Any, dim: Any = ..., keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""torch.linalg.matrix_norm of order "nuc" under an older name, with PyTorch's warning."""
def numel(input: Any) -> _int:
    r"""The number of elements."""
def ones(*args: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Ones of the given sizes, of the default floating dtype unless `dtype` is given."""
def ones_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Ones in the shape, dtype and memory order of `input`."""
def orgqr(input: Any, input2: Any, *, out: Any = None) -> Tensor:
    r"""torch.linalg.householder_product under its older name: Q from what geqrf gives."""
def ormqr(input: Any, tau: Any, other: Any, left: Any = True, transpose: Any = False, *, out: Any = None) -> Tensor:
    r"""Q @ other, with Q the whole product of the reflections in `input` and `tau` (from geqrf)."""
def outer(input: Any, vec2: Any, *, out: Any = None) -> Tensor:
    r"""The products of each element of one vector with each of another: (n) (m) -> (n, m)."""
def pdist(input: Any, p: Any = 2.0) -> Tensor:
    r"""|input[i] - input[j]|_p for i < j: (N, M) -> (N (N - 1) / 2)."""
def permute(input: Any, *args: Any, dims: Any = None) -> Tensor:
    r"""A view with the dimensions in the order `dims`: size i of the result is size dims[i]."""
def permute_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""permute, but a copy and not a view."""
def pinverse(input: Any, rcond: Any = 1e-15) -> Tensor:
    r"""torch.linalg.pinv with rtol = rcond."""
def pixel_shuffle(input: Any, upscale_factor: Any) -> Tensor:
    r"""(*, C r^2, H, W) -> (*, C, H r, W r) with r the factor (Shi et al. 2016)."""
def pixel_unshuffle(input: Any, downscale_factor: Any) -> Tensor:
    r"""The reverse of pixel_shuffle: (*, C, H r, W r) -> (*, C r^2, H, W)."""
def poisson(input: Any, generator: Any = None) -> Tensor:
    r"""A Poisson value for each rate in `input`; raises RuntimeError for negative rates."""
def polar(abs: Any, angle: Any, *, out: Any = None) -> Tensor:
    r"""abs (cos angle + i sin angle), from two floating tensors of one dtype."""
def polygamma(n: Any, input: Any, *, out: Any = None) -> Tensor:
    r"""The n-th derivative of digamma."""
def positive(input: Any) -> Tensor:
    r"""The tensor itself; RuntimeError for bool tensors."""
def pow(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    r"""input ** exponent; either may be a number, dtypes promote."""
def prelu(input: Any, weight: Any) -> Tensor:
    r"""input above 0, weight * input below; one weight, or one for each channel."""
def prod(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""The product of all elements, or along one dimension; integers are multiplied in int64."""
def put(input: Any, index: Any, source: Any, accumulate: Any = False, *, out: Any = None) -> Tensor:
    r"""A copy with source's elements written (or added) at places of the flattened tensor."""
def qr(input: Any, some: Any = True, *, out: Any = None) -> Any:
    r"""torch.linalg.qr under its older name, with PyTorch's warning; some=False is complete."""
def quantile(input: Any, q: Any, dim: Any = None, keepdim: Any = False, *, interpolation: Any = 'linear', out: Any = None) -> Tensor:
    r"""The q-quantiles along dim (or of all elements); shape of q, then the remaining dimensions."""
def rad2deg(input: Any, *, out: Any = None) -> Tensor:
    r"""Radians as degrees: input * 180 / pi."""
def rand(*args: Any, size: Any = None, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Uniform values in [0, 1) of the given sizes."""
def rand_like(input: Any, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Uniform values in [0, 1) of the shape and dtype of `input`."""
def randint(*args: Any, low: Any = None, high: Any = None, size: Any = None, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Integers in [low, high) of the given size: randint(high, size) or randint(low, high, size)."""
def randint_like(input: Any, *args: Any, low: Any = 0, high: Any = None, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Integers in [low, high) of the shape and dtype of `input`: (input, [low,] high)."""
def randn(*args: Any, size: Any = None, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Values of the standard normal distribution N(0, 1), of the given sizes."""
def randn_like(input: Any, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Standard normal values of the shape and dtype of `input`."""
def randperm(n: Any, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""0 .. n-1 in random order, in int64 unless a dtype is given. RuntimeError for a negative n."""
def range(start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""start, start + step, ... up to and including end; with PyTorch's warning to use arange."""
def ravel(input: Any) -> Tensor:
    r"""All elements in one dimension."""
def real(input: Any) -> Tensor:
    r"""The real part as a view; a real tensor is returned as it is."""
def reciprocal(input: Any, *, out: Any = None) -> Tensor:
    r"""`1 / input`."""
def relu(input: Any, *, out: Any = None) -> Tensor:
    r"""max(input, 0); the gradient at 0 is 0."""
def remainder(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""Python's modulus: input - other * floor(input / other), with the sign of `other`."""
def renorm(input: Any, p: Any, dim: Any, maxnorm: Any, *, out: Any = None) -> Tensor:
    r"""input with every slice along dim scaled down to the p-norm maxnorm at most."""
def repeat_interleave(input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Tensor:
    r"""Each element (or slice along `dim`) repeated; `repeats` is a number or one for each."""
def reshape(input: Any, *args: Any, shape: Any = None) -> Tensor:
    r"""The elements in another shape, in the same order: a view where possible, else a copy."""
def resize_as_(self: Any, the_template: Any, *, memory_format: Any = None) -> Tensor:
    r"""resize_() to the shape of another tensor; preserve_format keeps its channels last, too."""
def resolve_conj(input: Any) -> Tensor:
    r"""The tensor itself: conjugates are always in memory here."""
def resolve_neg(input: Any) -> Tensor:
    r"""The tensor itself: negated values are always in memory here."""
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    r"""The dtype that arithmetic between the two gives."""
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    r"""input / sqrt(mean(input^2) + eps) * weight over the last dimensions (Zhang, Sennrich 2019)."""
def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    r"""Elements moved on by `shifts` along `dims`; those pushed out at the end come in in front."""
def rot90(input: Any, k: Any = 1, dims: Any = ...) -> Tensor:
    r"""A quarter turn, k times, in the plane of two dimensions."""
def round(input: Any, *, decimals: Any = None, out: Any = None) -> Tensor:
    r"""The nearest integers, halves to even; or to `decimals` digits after the point."""
def round_(self: Any, *, decimals: Any = None) -> Tensor:
    r"""round in place."""
def row_stack(tensors: Any, *, out: Any = None) -> Tensor:
    r"""Joined along dimension 0; vectors become rows."""
def rsqrt(input: Any, *, out: Any = None) -> Tensor:
    r"""`1 / sqrt(input)`."""
def rsub(input: Any, other: Any, third: Any = None, *, alpha: Any = 1) -> Tensor:
    r"""other - alpha * input."""
def saddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    r"""beta input + alpha mat1 @ mat2 of two sparse matrices and a dense one, as a sparse matrix."""
def scalar_tensor(s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""A 0-d tensor of the number, in the default dtype."""
def scatter(input: Any, dim: Any, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None, out: Any = None) -> Tensor:
    r"""A copy of input with `out[index[i][j]][j] = src[i][j]` (dim 0); src may be a number."""
def scatter_add(input: Any, dim: Any, index: Any, src: Any, *, out: Any = None) -> Tensor:
    r"""A copy of input with `out[index[i][j]][j] += src[i][j]` (dim 0)."""
def scatter_reduce(input: Any, dim: Any, index: Any, src: Any, reduce: Any, *, include_self: Any = True, out: Any = None) -> Tensor:
    r"""scatter with reduce "sum", "prod", "mean", "amax" or "amin" at each place."""
def searchsorted(sorted_sequence: Any, input: Any, *, out_int32: Any = False, right: Any = False, side: Any = None, sorter: Any = None, out: Any = None) -> Tensor:
    r"""Where each value of input would be inserted in sorted_sequence (its last dimension)."""
def segment_reduce(data: Any, reduce: Any, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: Any = 0, unsafe: Any = False, initial: Any = None) -> Tensor:
    r"""Reduce ("sum", "mean", "max", "min", "prod") each piece of dimension `axis`."""
def select(input: Any, dim: Any, index: Any) -> Tensor:
    r"""The slice number `index` along `dim`, as a view without that dimension."""
def select_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""select, but a copy and not a view."""
def select_scatter(input: Any, src: Any, dim: Any, index: Any) -> Tensor:
    r"""A copy of input with src in place of input.select(dim, index)."""
def selu(input: Any) -> Tensor:
    r"""scale * elu(input, alpha) with the constants that keep mean and variance."""
def selu_(input: Any) -> Tensor:
    r"""`selu`, in place."""
def set_default_tensor_type(t: Any) -> Any:
    r"""set_default_dtype by a tensor type or its name, with PyTorch's warning; there is no GPU."""
def sgn(input: Any, *, out: Any = None) -> Tensor:
    r"""input / |input|, 0 for 0; the sign of real elements."""
def sigmoid(input: Any, *, out: Any = None) -> Tensor:
    r"""1 / (1 + e**-x): every number into (0, 1)."""
def sign(input: Any, *, out: Any = None) -> Tensor:
    r"""-1, 0 or 1; the gradient is 0."""
def signbit(input: Any, *, out: Any = None) -> Tensor:
    r"""Whether the sign bit is set: True for -0.0 too."""
def sin(input: Any, *, out: Any = None) -> Tensor:
    r"""The sine, of radians."""
def sinc(input: Any, *, out: Any = None) -> Tensor:
    r"""sin(pi x) / (pi x), and 1 at 0."""
def sinh(input: Any, *, out: Any = None) -> Tensor:
    r"""The hyperbolic sine, (e**x - e**-x) / 2."""
def slice_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""slice, but a copy and not a view."""
def slice_scatter(input: Any, src: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1, *, out: Any = None) -> Tensor:
    r"""A copy of input with src in place of its slice start:end:step along dim."""
def slogdet(input: Any, *, out: Any = None) -> Any:
    r"""(sign, log of the absolute value) of the determinants."""
def smm(input: Any, mat2: Any) -> Tensor:
    r"""The product of a sparse and a dense matrix, a sparse one that lists the rows of `input`."""
def softmax(input: Any, dim: Any = None, dtype: Any = None, *, out: Any = None, axis: Any = None) -> Tensor:
    r"""exp(input) / sum(exp(input)) along `dim`, of the shape of input; nothing overflows."""
def solve(*args: Any, **kwargs: Any) -> Any:
    r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.solve."""
def sort(input: Any, dim: Any = -1, descending: Any = False, *, stable: Any = None, out: Any = None) -> Any:
    r"""(values, indices) of input sorted along dim, so that values[i] = input[indices[i]]."""
def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    r"""A tuple of pieces along `dim`, as views: of one size, or of the sizes given."""
def split_copy(*args: Any, out: Any = None, **kwargs: Any) -> Any:
    r"""split, but a copy and not a view."""
def split_with_sizes(input: Any, split_sizes: Any, dim: Any = 0, *, axis: Any = None) -> tuple[Tensor, ...]:
    r"""Views of pieces along `dim` with the given sizes, which must add up."""
def split_with_sizes_copy(*args: Any, out: Any = None, **kwargs: Any) -> Any:
    r"""split_with_sizes, but a copy and not a view."""
def spmm(input: Any, mat2: Any) -> Tensor:
    r"""The product of two matrices, sparse or not."""
def sqrt(input: Any, *, out: Any = None) -> Tensor:
    r"""The square root; nan below 0. Its gradient at 0 is infinite."""
def square(input: Any, *, out: Any = None) -> Tensor:
    r"""`input * input`; its node is that of pow."""
def squeeze(input: Any, dim: Any = ..., *, axis: Any = ...) -> Tensor:
    r"""A view without the dimensions of size 1: (2, 1, 3) -> (2, 3)."""
def squeeze_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""squeeze, but a copy and not a view."""
def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    r"""beta input + alpha mat1 @ mat2 of two sparse matrices and a dense one, as a sparse matrix."""
def stack(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    r"""k tensors of one shape joined along a new dimension of size k, at `dim` of the result."""
def std(input: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = None, out: Any = None) -> Tensor:
    r"""The standard deviation, sqrt(sum |x - mean|^2 / (n - correction)): the root of `var`."""
def std_mean(input: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = None) -> tuple[Tensor, Tensor]:
    r"""(std, mean) in one pass."""
def stft(input: Any, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True, pad_mode: Any = 'reflect', normalized: Any = False, onesided: Any = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
    r"""Fourier transforms of overlapping windows.  # (.., length) -> (.., frequencies, frames)"""
def sub(input: Any, other: Any, tensor: Any = None, *, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""input - alpha * other, broadcast; dtypes promote."""
def subtract(input: Any, other: Any, third: Any = None, *, alpha: Any = 1, out: Any = None) -> Tensor:
    r"""sub(), by another name: behind a number, alpha may be given by position."""
def sum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None, axis: Any = None, keepdims: Any = False) -> Tensor:
    r"""The sum of all elements, or over the dimensions `dim`."""
def sum_to_size(input: Any, *shape: Any, size: Any = None) -> Tensor:
    r"""The sum over the dimensions that broadcasting `size` to the tensor's shape would repeat."""
def svd(input: Any, some: Any = True, compute_uv: Any = True, *, out: Any = None) -> Any:
    r"""(U, S, V) with `input = U diag(S) V^H`."""
def swapaxes(input: Any, axis0: Any, axis1: Any) -> Tensor:
    r"""A view with two dimensions swapped: transpose()."""
def swapdims(input: Any, dim0: Any, dim1: Any) -> Tensor:
    r"""A view with two dimensions swapped: y[..., i, ..., j] = x[..., j, ..., i]."""
def symeig(*args: Any, **kwargs: Any) -> Any:
    r"""Raises RuntimeError: removed from PyTorch. See torch.linalg.eigh."""
def t(input: Any) -> Tensor:
    r"""The transpose of a matrix, as a view: (n, m) -> (m, n)."""
def t_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""t, but a copy and not a view."""
def take(input: Any, index: Any, *, out: Any = None) -> Tensor:
    r"""Elements of the flattened input; negative indices count back. Shape of index."""
def take_along_dim(input: Any, indices: Any, dim: Any = None, *, out: Any = None) -> Tensor:
    r"""gather after broadcasting input and indices; without dim, on the flattened input."""
def tan(input: Any, *, out: Any = None) -> Tensor:
    r"""The tangent, of radians."""
def tanh(input: Any, *, out: Any = None) -> Tensor:
    r"""The hyperbolic tangent: every number into (-1, 1)."""
def tensor(data: Any = ..., *rest: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False, pin_memory: Any = False) -> Tensor:
    r"""A new leaf with a copy of `data`: a number, nested sequence, array or tensor."""
def tensor_split(input: Any, places: Any = None, dim: Any = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
    r"""Views of nearly equal pieces, or of the pieces between the given places."""
def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Tensor:
    r"""Sums of products over several dimensions of a and b."""
def threshold(input: Any, threshold: Any, value: Any, *, out: Any = None) -> Tensor:
    r"""`input` where it is above `threshold`, else `value`."""
def threshold_(input: Any, threshold: Any, value: Any) -> Tensor:
    r"""`threshold`, in place."""
def tile(input: Any, *times: Any, dims: Any = None) -> Tensor:
    r"""repeat(), with missing leading counts taken as 1."""
def topk(input: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True, *, out: Any = None) -> Any:
    r"""(values, indices) of the k largest elements along dim, or of the k smallest."""
def trace(input: Any, *, out: Any = None) -> Tensor:
    r"""The sum of a matrix's diagonal: (n, m) -> (). Raises RuntimeError for any other"""
def transpose(input: Any, dim0: Any, dim1: Any) -> Tensor:
    r"""A view with two dimensions swapped: y[..., i, ..., j] = x[..., j, ..., i]."""
def transpose_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""transpose, but a copy and not a view."""
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    r"""The integral of y along dim by the trapezoidal rule, at places x or dx apart."""
def trapz(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    r"""The integral of y along dim by the trapezoidal rule, at places x or dx apart."""
def triangular_solve(input: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False, *, out: Any = None) -> Any:
    r"""(solution, A) of `A X = input` for a triangular A, or of its transpose."""
def tril(input: Any, diagonal: Any = 0, *, out: Any = None) -> Tensor:
    r"""The lower triangle of matrices, on and below the given diagonal (0 is the main one,"""
def tril_indices(row: Any, col: Any, offset: Any = 0, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False) -> Tensor:
    r"""The (row, column) pairs on and below a diagonal of a matrix, shape (2, n)."""
def triu(input: Any, diagonal: Any = 0, *, out: Any = None) -> Tensor:
    r"""The upper triangle of matrices, on and above the given diagonal (0 is the main one,"""
def triu_indices(row: Any, col: Any, offset: Any = 0, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False) -> Tensor:
    r"""The (row, column) pairs on and above a diagonal of a matrix, shape (2, n)."""
def true_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""input / other; the same as div without rounding."""
def trunc(input: Any, *, out: Any = None) -> Tensor:
    r"""The next integer towards 0; the gradient is 0."""
def unbind(input: Any, dim: Any = 0, *, axis: Any = None) -> tuple[Tensor, ...]:
    r"""The slices along `dim`, as views in a tuple: (n, m) -> n of (m,) for dim=0."""
def unbind_copy(*args: Any, out: Any = None, **kwargs: Any) -> Any:
    r"""unbind, but a copy and not a view."""
def unflatten(input: Any, dim: Any, sizes: Any) -> Tensor:
    r"""Dimension `dim` as several, of the given sizes (one may be -1)."""
def unfold_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""unfold, but a copy and not a view."""
def unique(input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    r"""The distinct elements (or slices along dim), in order. Not differentiable."""
def unique_consecutive(input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    r"""The first of each run of equal elements (or of equal slices along dim)."""
def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    r"""Flat places as a tuple of coordinates in an array of the given shape."""
def unsafe_chunk(input: Any, chunks: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    r"""chunk() into tensors that may be written to; see unsafe_split."""
def unsafe_split(input: Any, split_size: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    r"""split() into tensors that may be written to: autograd does not know that they share memory,"""
def unsafe_split_with_sizes(input: Any, split_sizes: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    r"""split_with_sizes() into tensors that may be written to; see unsafe_split."""
def unsqueeze(input: Any, dim: Any = None, *, axis: Any = None) -> Tensor:
    r"""A view with a new dimension of size 1 at `dim`: (2, 3) -> (2, 1, 3) for dim=1."""
def unsqueeze_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""unsqueeze, but a copy and not a view."""
def vander(x: Any, N: Any = None, increasing: Any = False) -> Tensor:
    r"""The powers N-1 .. 0 of the vector's elements, in columns; 0 .. N-1 if increasing."""
def var(input: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = None, out: Any = None) -> Tensor:
    r"""The variance, sum |x - mean|^2 / (n - correction), over everything or the dimensions `dim`."""
def var_mean(input: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = None) -> tuple[Tensor, Tensor]:
    r"""(var, mean) in one pass."""
def vdot(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The dot product of conj(input) and other."""
def view_as_complex(input: Any) -> Tensor:
    r"""Pairs of real numbers in the last dimension (of size 2) seen as complex numbers: a view."""
def view_as_complex_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""view_as_complex, but a copy and not a view."""
def view_as_real(input: Any) -> Tensor:
    r"""Complex numbers as pairs of reals: (*) -> (*, 2). Raises RuntimeError for"""
def view_as_real_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""view_as_real, but a copy and not a view."""
def view_copy(*args: Any, out: Any = None, **kwargs: Any) -> Tensor:
    r"""view, but a copy and not a view."""
def vsplit(input: Any, places: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    r"""Views of equal pieces along dimension 0, or cut at given places."""
def vstack(tensors: Any, *, out: Any = None) -> Tensor:
    r"""Joined along dimension 0; vectors become rows."""
def where(condition: Any, input: Any = None, other: Any = None, *, self: Any = None, out: Any = None) -> Any:
    r"""`input` where the condition is True, else `other`, element by element."""
def xlogy(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input * log(other)`, and 0 where input is 0."""
def zero_(self: Any) -> Tensor:
    r"""Write zeros."""
def zeros(*args: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False) -> Tensor:
    r"""Zeros of the given sizes, of the default floating dtype unless `dtype` is given."""
def zeros_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = False, requires_grad: Any = False, memory_format: Any = None) -> Tensor:
    r"""Zeros in the shape, dtype and memory order of `input`."""
