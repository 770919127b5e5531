"""SummaryWriter: scalars, histograms, images and texts of a run, for TensorBoard to show."""

from __future__ import annotations

import os
import socket
import struct
import time
import zlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

from ..._tensor import Tensor

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """Writes the events of a run into a folder.

    Args:
        log_dir: the folder, by default ``runs/`` with the time and the host's name.
        comment: appended to the default folder.
        purge_step: events of an earlier run from this step on are hidden.
        max_queue: events that are held back before they are written.
        flush_secs: seconds after which they are written at the latest.
        filename_suffix: appended to the file's name.

    Raises:
        ImportError: the tensorboard package is not installed.

    Values are numbers, arrays or Tensors; ``global_step`` and ``walltime`` place them in time.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if log_dir is None:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self._options = dict(
            max_queue_size=max_queue, flush_secs=flush_secs, filename_suffix=filename_suffix
        )
        self._writers: dict[str, Any] = {}
        self._writer(self.log_dir)

    def _writer(self, folder: str) -> Any:
        """The writer of a folder's event file."""
        if folder not in self._writers:
            writer_of = _tensorboard("summary.writer.event_file_writer").EventFileWriter
            self._writers[folder] = writer_of(folder, **self._options)
            if self.purge_step is not None:
                event = _tensorboard("compat.proto.event_pb2")
                start = event.SessionLog(status=event.SessionLog.START)
                self._write(folder, self.purge_step, None, session_log=start)
        return self._writers[folder]

    def _write(self, folder: str, step: Any, walltime: float | None, **content: Any) -> None:
        event = _tensorboard("compat.proto.event_pb2").Event(
            wall_time=time.time() if walltime is None else walltime, **content
        )
        if step is not None:
            event.step = int(step)
        self._writer(folder).add_event(event)

    def _add(
        self, tag: str, step: Any, walltime: float | None, folder: str = "", **value: Any
    ) -> None:
        summary = _tensorboard("compat.proto.summary_pb2").Summary
        content = summary(value=[summary.Value(tag=tag, **value)])
        self._write(folder or self.log_dir, step, walltime, summary=content)

    def get_logdir(self) -> str:
        """The folder that is written to."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """A number."""
        number = float(_array(scalar_value).reshape(()))
        self._add(tag, global_step, walltime, simple_value=number)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Numbers that are shown in one picture, each in an event file of its own."""
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, f"{main_tag}_{tag}".replace("/", "_"))
            number = float(_array(value).reshape(()))
            self._add(main_tag, global_step, walltime, folder, simple_value=number)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """The distribution of an array's elements; ``bins`` as NumPy's, or "tensorflow"."""
        if max_bins is not None:
            raise NotImplementedError("add_histogram: max_bins is not supported")
        histo = _histogram(_array(values).astype(np.float64).ravel(), bins)
        self._add(tag, global_step, walltime, histo=histo)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture of floats from 0 to 1 or bytes, dimensions in ``dataformats``'s order."""
        image = _array(img_tensor)
        if "C" in dataformats:
            image = image.transpose([dataformats.index(d) for d in "HWC"])
        else:
            image = image.transpose([dataformats.index(d) for d in "HW"])[..., None]
        if image.dtype != np.uint8:
            image = (image * 255).clip(0, 255).astype(np.uint8)
        height, width, channels = image.shape
        picture = _tensorboard("compat.proto.summary_pb2").Summary.Image(
            height=height, width=width, colorspace=channels, encoded_image_string=_png(image)
        )
        self._add(tag, global_step, walltime, image=picture)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """A text in Markdown."""
        metadata = _tensorboard("compat.proto.summary_pb2").SummaryMetadata
        tensor = _tensorboard("compat.proto.tensor_pb2").TensorProto
        text = tensor(dtype="DT_STRING", string_val=[text_string.encode()])
        text.tensor_shape.dim.add(size=1)
        kind = metadata(plugin_data=metadata.PluginData(plugin_name="text"))
        self._add(f"{tag}/text_summary", global_step, walltime, metadata=kind, tensor=text)

    def __getattr__(self, name: str) -> Callable:
        if not name.startswith("add_"):
            raise AttributeError(f"'SummaryWriter' object has no attribute {name!r}")

        def unsupported(*args: Any, **kwargs: Any) -> None:
            raise NotImplementedError(f"SummaryWriter.{name} is not supported")

        return unsupported

    def flush(self) -> None:
        """Write what is held back."""
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        """Write what is held back, and close the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _tensorboard(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"tensorboard.{module}")
    except ImportError as error:
        raise ImportError(
            "torch.utils.tensorboard needs the package tensorboard: pip install tensorboard"
        ) from error


def _array(value: Any) -> np.ndarray:
    return value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value)


def _histogram(values: np.ndarray, bins: Any) -> Any:
    """Counts between limits, without the empty bins at both ends."""
    if values.size == 0:
        raise ValueError("The input has no element.")
    if bins == "tensorflow":  # limits that grow by a tenth, to both sides
        limits = 1e-12 * 1.1 ** np.arange(774)
        bins = np.concatenate([-limits[::-1], [0.0], limits])
    counts, limits = np.histogram(values, bins=bins)
    used = np.flatnonzero(counts)
    first, last = (used[0], used[-1]) if used.size else (0, 0)
    counts, limits = counts[first : last + 1], limits[first : last + 2]
    return _tensorboard("compat.proto.summary_pb2").HistogramProto(
        min=values.min(),
        max=values.max(),
        num=values.size,
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits.tolist(),
        bucket=[0, *counts.tolist()],
    )


def _png(image: np.ndarray) -> bytes:
    """(height, width, 1 to 4 channels) uint8 as a PNG file."""
    height, width, channels = image.shape
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\0" + row.tobytes() for row in image)

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
