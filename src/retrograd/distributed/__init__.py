"""torch.distributed as in a build without it, so that programs take their single-process path.

`is_available()` is False. What programs and libraries import by name is there; calling it says
that there is no process group, in PyTorch's words, and starting one is refused.
"""

from __future__ import annotations

import os
from enum import Enum
from typing import Any, NoReturn

from .._refused import refused

_NOT_INITIALIZED = ("Default process group has not been initialized, please make sure to call "
                    "init_process_group.")


def is_available() -> bool:
    """False: a program runs in one process.

    >>> import retrograd as torch
    >>> torch.distributed.is_available() and torch.distributed.is_initialized()
    False
    """
    return False


def is_initialized() -> bool:
    """False."""
    return False


is_nccl_available = is_gloo_available = is_mpi_available = is_ucc_available = is_available
is_xccl_available = is_available


def is_backend_available(backend: str) -> bool:
    """False."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.distributed.init_process_group: retrograd runs in one "
                              "process and has no process groups")


class ReduceOp:
    """How a reduction over processes would combine."""

    class RedOpType(Enum):
        """The kinds."""

        SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType


class Backend(str):
    """A backend's name."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl"


class ProcessGroup:
    """A group of processes; none can be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("ProcessGroup: retrograd has no process groups")


class Work:
    """A collective under way; there are none."""


class Store:
    """A key-value store that processes would share; none can be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: retrograd runs in one process")


class TCPStore(Store):
    """As Store."""


class FileStore(Store):
    """As Store."""


class GroupMember:
    """The group that processes belong to by default: there is none."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100


group = GroupMember


def _without_group(name: str) -> Any:
    def collective(*args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError(_NOT_INITIALIZED)

    collective.__name__ = collective.__qualname__ = name
    collective.__doc__ = "Raises ValueError: there is no process group."
    return collective


for _name in (
    *("get_rank", "get_world_size", "get_backend", "get_process_group_ranks", "get_global_rank"),
    *("get_group_rank", "barrier", "monitored_barrier", "new_group", "destroy_process_group"),
    *("all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "reduce_scatter"),
    *("all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all", "all_to_all_single"),
    *("all_gather_object", "gather_object", "scatter_object_list", "broadcast_object_list"),
    *("send", "recv", "isend", "irecv", "batch_isend_irecv", "send_object_list"),
    *("recv_object_list", "all_reduce_coalesced", "all_gather_coalesced", "split_group"),
    *("new_subgroups", "new_subgroups_by_enumeration", "get_node_local_rank", "get_pg_count"),
):
    globals()[_name] = _without_group(_name)

_REFUSED = frozenset((
    "BackendConfig", "DebugLevel", "DeviceMesh", "DistBackendError", "DistError",
    "DistNetworkError", "DistStoreError", "GradBucket", "HashStore", "Logger", "P2POp",
    "PrefixStore", "ProcessGroupGloo", "Reducer", "algorithms", "autograd", "checkpoint",
    "constants", "device_mesh", "distributed_c10d", "elastic", "fsdp", "get_backend_config",
    "init_device_mesh", "launcher", "nn", "optim", "pipelining", "rendezvous", "tensor",
    "utils",
))


def __getattr__(name: str) -> Any:
    if name not in _REFUSED:
        raise AttributeError(f"module 'torch.distributed' has no attribute {name!r}")
    return refused("torch.distributed", name)
