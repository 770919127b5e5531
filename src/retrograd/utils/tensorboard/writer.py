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
from . import embedding
from .graph import as_inputs, graph_of

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
        self._embeddings: list[Any] = []
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

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several pictures in rows of eight, dimensions in ``dataformats``'s order."""
        images = _array(img_tensor)
        images = images.transpose([dataformats.index(d) for d in "NHWC"])
        self.add_image(tag, _grid(images), global_step, walltime, "HWC")

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """A figure of matplotlib, or a list of them, as pictures; closed afterwards."""
        figures = figure if isinstance(figure, list) else [figure]
        images = np.stack([_drawn(f, close) for f in figures])
        if isinstance(figure, list):
            self.add_images(tag, images, global_step, walltime, "NHWC")
        else:
            self.add_image(tag, images[0], global_step, walltime, "HWC")

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall of predictions (0 to 1) of labels (0 or 1), by threshold."""
        n = min(num_thresholds, 127)        # more are not shown
        weight = 1.0 if weights is None else _array(weights)
        table = _precision_recall(_array(labels), _array(predictions), n, weight)
        plugin = _tensorboard("plugins.pr_curve.plugin_data_pb2").PrCurvePluginData
        content = plugin(version=0, num_thresholds=n).SerializeToString()
        tensor = _tensorboard("compat.proto.tensor_pb2").TensorProto
        data = tensor(dtype="DT_FLOAT", float_val=table.ravel().tolist())
        for size in table.shape:
            data.tensor_shape.dim.add(size=size)
        self._add(tag, global_step, walltime, tensor=data, metadata=_plugin("pr_curves", content))

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """The settings of a run beside its results, in a folder of its own (``run_name``).

        Raises:
            TypeError: not dictionaries.
            ValueError: a setting is no number, bool or text.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        api = _tensorboard("plugins.hparams.api_pb2")
        data = _tensorboard("plugins.hparams.plugin_data_pb2")
        settings = {name: _setting(name, value) for name, value in hparam_dict.items()}
        domains = hparam_domain_discrete or {}
        infos = [_hparam_info(api, name, value, domains) for name, value in settings.items()]
        metrics = [api.MetricInfo(name=api.MetricName(tag=tag)) for tag in metric_dict]
        start = data.SessionStartInfo()
        for name, value in settings.items():
            setattr(start.hparams[name], _field(value), value)
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        for tag, part in (
            ("experiment", api.Experiment(hparam_infos=infos, metric_infos=metrics)),
            ("session_start_info", start),
            ("session_end_info", data.SessionEndInfo(status=api.STATUS_SUCCESS)),
        ):
            content = data.HParamsPluginData(version=0, **{tag: part}).SerializeToString()
            self._add(f"_hparams_/{tag}", global_step, None, folder,
                      metadata=_plugin("hparams", content))
        for tag, value in metric_dict.items():
            number = float(_array(value).reshape(()))
            self._add(tag, global_step, None, folder, simple_value=number)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """A text in Markdown."""
        tensor = _tensorboard("compat.proto.tensor_pb2").TensorProto
        text = tensor(dtype="DT_STRING", string_val=[text_string.encode()])
        text.tensor_shape.dim.add(size=1)
        self._add(f"{tag}/text_summary", global_step, walltime, metadata=_plugin("text"),
                  tensor=text)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:
        """The layers and functions that ``model(*input_to_model)`` goes through, by torch.fx.

        Raises what torch.fx.symbolic_trace raises for a model whose course depends on its input.
        """
        made = graph_of(model, as_inputs(input_to_model))
        if verbose:
            print(made)
        self._write(self.log_dir, None, None, graph_def=made.SerializeToString())

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Points (N, D) for the projector, with N labels and N pictures (N, C, H, W).

        With a header each label is a row of cells. Raises AssertionError where the parts' numbers
        differ, NotADirectoryError where a file stands in the way of the folder.
        """
        step, points = global_step or 0, _array(mat)
        images = None if label_img is None else _array(label_img)
        folder = embedding.folder_of(tag, step)
        path = os.path.join(self.log_dir, folder)
        if os.path.exists(path) and not os.path.isdir(path):
            raise NotADirectoryError(
                f"Path: `{path}` exists, but is a file. Cannot proceed.")
        embedding.check(points, metadata, images)
        os.makedirs(path, exist_ok=True)
        if metadata is not None:
            rows = embedding.rows_of_labels(metadata, metadata_header)
            embedding.write_lines(os.path.join(path, "metadata.tsv"), rows)
        if images is not None:
            with open(os.path.join(path, "sprite.png"), "wb") as file:
                file.write(_png(embedding.sprite(images)))
        embedding.write_lines(os.path.join(path, "tensors.tsv"),
                              ["\t".join(map(str, row)) for row in points.tolist()])
        self._embeddings.append(embedding.information(folder, tag, step, metadata, images))
        self._write_projector()

    def _write_projector(self) -> None:
        """Name all embeddings so far in the file that the projector begins with."""
        from google.protobuf import text_format

        config = _tensorboard("plugins.projector.projector_config_pb2").ProjectorConfig(
            embeddings=self._embeddings)
        with open(os.path.join(self.log_dir, "projector_config.pbtxt"), "w") as file:
            file.write(text_format.MessageToString(config))

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


def _plugin(name: str, content: bytes = b"") -> Any:
    """What tells TensorBoard which of its parts shows a value."""
    metadata = _tensorboard("compat.proto.summary_pb2").SummaryMetadata
    return metadata(plugin_data=metadata.PluginData(plugin_name=name, content=content))


def _grid(images: np.ndarray, columns: int = 8) -> np.ndarray:
    """(N, H, W, C) -> one (rows H, columns W, C), black where there are no more."""
    n, height, width, channels = images.shape
    columns = min(n, columns)
    rows = -(-n // columns)
    whole = np.zeros((rows * columns, height, width, channels), images.dtype)
    whole[:n] = images
    whole = whole.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return whole.reshape(rows * height, columns * width, channels)


def _drawn(figure: Any, close: bool) -> np.ndarray:
    """A figure of matplotlib as (H, W, 3) bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    if close:
        from matplotlib import pyplot

        pyplot.close(figure)
    return image


def _precision_recall(
    labels: np.ndarray, predictions: np.ndarray, n: int, weights: Any
) -> np.ndarray:
    """(6, n): true and false positives, true and false negatives, precision and recall."""
    bucket = np.floor(predictions * (n - 1)).astype(np.int64).ravel()

    def above(weight: np.ndarray) -> np.ndarray:       # of predictions from each threshold on
        counts = np.bincount(bucket, np.broadcast_to(weight, labels.shape).ravel(), n)
        return counts[::-1].cumsum()[::-1]

    tp, fp = above(labels * weights), above((1.0 - labels) * weights)
    precision = tp / np.maximum(1e-10, tp + fp)
    recall = tp / np.maximum(1e-10, tp[0])
    return np.stack([tp, fp, fp[0] - fp, tp[0] - tp, precision, recall])


def _setting(name: str, value: Any) -> Any:
    value = value.item() if isinstance(value, (Tensor, np.generic)) else value
    if not isinstance(value, (bool, int, float, str)):
        raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
    return value


def _field(value: Any) -> str:
    """Where a setting stands in TensorBoard's records."""
    kind = "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
    return f"{kind}_value"


def _hparam_info(api: Any, name: str, value: Any, domains: dict[str, list]) -> Any:
    """The type of a setting and the values that it may have."""
    kind = "BOOL" if isinstance(value, bool) else "STRING" if isinstance(value, str) else "FLOAT64"
    info = api.HParamInfo(name=name, type=getattr(api, f"DATA_TYPE_{kind}"))
    for option in domains.get(name, ()):
        if not isinstance(option, type(value)):
            raise TypeError(f"parameter: hparams_domain_discrete[{name}] should be a list of "
                            f"{type(value).__name__} instances")
        info.domain_discrete.values.add(**{_field(option): option})
    return info


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
