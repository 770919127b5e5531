"""Memory that several processes see: share_memory_().

NOTE [shared memory]
    The memory of a Tensor, with every Tensor that lies there too, moves to a file in /dev/shm or
    the folder for temporary files, which is mapped to write. A forked process has the same
    mapping; to one that gets the Tensor as an argument or by a queue, multiprocessing sends the
    storage, and that is sent as the file's name. The file goes when the first mapping does; the
    others keep their memory. A Tensor that is not shared is sent as a copy.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from multiprocessing.reduction import ForkingPickler

import numpy as np

from ._memory import give_out, memory
from ._moving import aliases_of, alone, move
from ._tensor import Tensor
from .storage import UntypedStorage


def share(tensor: Tensor) -> None:
    """Move what a Tensor lies in to shared memory, unless it is there."""
    only = alone(tensor)                    # before anything else refers to it
    storage = tensor.untyped_storage()
    if storage.is_meta:
        storage.share_memory_()
    elif not storage.is_shared():
        bytes_ = memory(tensor._data)
        if bytes_ is None:
            raise NotImplementedError("share_memory_: the memory that the tensor lies in has gaps; "
                                      "share its clone()")
        to_shared_memory(bytes_, ([tensor], []) if only else aliases_of(bytes_))


def to_shared_memory(bytes_: np.ndarray, inside: tuple[list, list]) -> None:
    """Move all bytes of some memory, and the Tensors and storages in it."""
    mapped = _mapped(bytes_.size)
    move(mapped[:bytes_.size].view(np.ndarray), bytes_, *inside)


def _mapped(nbytes: int) -> np.ndarray:
    """A new file of that many bytes, mapped; it is removed with the array."""
    for folder in ("/dev/shm", None):
        try:
            handle, path = tempfile.mkstemp(prefix="retrograd-", dir=folder)
        except OSError:
            continue
        try:
            _reserve(handle, max(nbytes, 1))
            mapped = np.memmap(path, np.uint8, "r+")
        except OSError:
            os.unlink(path)
            if folder is None:
                raise
            continue
        finally:
            os.close(handle)
        weakref.finalize(mapped, _remove, path, os.getpid())
        return give_out(mapped)            # its size is known to other processes
    raise OSError("share_memory_: no folder to keep shared memory in")


def _reserve(handle: int, nbytes: int) -> None:
    """Give a file its size, or raise: a write to a mapping beyond a full disk ends the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, nbytes)
    else:
        os.ftruncate(handle, nbytes)


def _remove(path: str, process: int) -> None:
    if os.getpid() == process:                # not in a process that was forked since
        try:
            os.unlink(path)
        except OSError:                       # Windows, where another process has it open
            pass


def _reduce_tensor(tensor: Tensor) -> tuple:
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd "
            "does not support crossing process boundaries.  If you just want to transfer the data, "
            "call detach() on the tensor before serializing (e.g., putting it on the queue).")
    return tensor.__reduce_ex__(4)


def _reduce_storage(storage: UntypedStorage) -> tuple:
    name = storage.filename
    if name is None:
        return storage.__reduce_ex__(4)
    return UntypedStorage.from_file, (name, True, storage.nbytes())


ForkingPickler.register(Tensor, _reduce_tensor)
ForkingPickler.register(UntypedStorage, _reduce_storage)
