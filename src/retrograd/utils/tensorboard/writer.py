"""SummaryWriter: scalars, histograms, images and texts of a run, for TensorBoard to show."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import Any

import numpy as np

from . import embedding
from ._convert_np import make_np
from ._protos import tensorboard
from ._utils import figure_to_image
from .graph import as_inputs, graph_of
from .summary import (
    _png,
    audio,
    custom_scalars,
    histogram,
    histogram_raw,
    hparams,
    image,
    image_boxes,
    mesh,
    pr_curve,
    pr_curve_raw,
    scalar,
    tensor_proto,
    text,
    video,
)

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes events into one file.

    Args:
        log_dir: its folder.
        max_queue: events that are held back before they are written.
        flush_secs: seconds after which they are written at the latest.
        filename_suffix: appended to the file's name.

    Raises:
        ImportError: the tensorboard package is not installed.
    """

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120,
                 filename_suffix: str = "") -> None:
        kind = tensorboard("summary.writer.event_file_writer").EventFileWriter
        self.event_writer = kind(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder that is written to."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """An event of the tensorboard package."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def _add(self, step: Any, walltime: float | None, **content: Any) -> None:
        event = tensorboard("compat.proto.event_pb2").Event(**content)
        self.add_event(event, step, walltime)

    def add_summary(self, summary: Any, global_step: Any = None,
                    walltime: float | None = None) -> None:
        """One of the summaries of `torch.utils.tensorboard.summary`."""
        self._add(global_step, walltime, summary=summary)

    def add_graph(self, graph_profile: Any, walltime: float | None = None) -> None:
        """A GraphDef, the first of a pair as in PyTorch, where the other one tells of times."""
        self._add(None, walltime, graph_def=graph_profile[0].SerializeToString())

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """A GraphDef."""
        self._add(None, walltime, graph_def=graph.SerializeToString())

    def flush(self) -> None:
        """Write what is held back."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write what is held back, and close the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Go on in a new file."""
        self.event_writer.reopen()


class SummaryWriter:
    """Writes the events of a run into a folder.

    Args:
        log_dir: the folder, by default `runs/` with the time and the host's name.
        comment: appended to the default folder.
        purge_step: events of an earlier run from this step on are hidden.
        max_queue: events that are held back before they are written.
        flush_secs: seconds after which they are written at the latest.
        filename_suffix: appended to the file's name.

    Raises:
        ImportError: the tensorboard package is not installed.

    Values are numbers, arrays or Tensors; `global_step` and `walltime` place them in time.
    """

    def __init__(self, log_dir: Any = None, comment: str = "", purge_step: int | None = None,
                 max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._embeddings: list[Any] = []
        self._get_file_writer()
        limits = np.cumprod([1e-12] + [1.1] * 773)       # they grow by a tenth, to both sides
        self.default_bins = [*-limits[::-1], 0, *limits]

    def _writer_in(self, folder: Any) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _get_file_writer(self) -> FileWriter:
        """The writer of the run's own file, made again after close()."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._writer_in(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                log = tensorboard("compat.proto.event_pb2").SessionLog
                self.file_writer._add(self.purge_step, None, file_version="brain.Event:2")
                self.file_writer._add(self.purge_step, None, session_log=log(status=log.START))
                self.purge_step = None
        return self.file_writer

    def _add(self, summary: Any, step: Any = None, walltime: float | None = None) -> None:
        self._get_file_writer().add_summary(summary, step, walltime)

    def get_logdir(self) -> Any:
        """The folder that is written to."""
        return self.log_dir

    # ---------------------------------------------------------------- numbers

    def add_scalar(self, tag: str, scalar_value: Any, global_step: int | None = None,
                   walltime: float | None = None, new_style: bool = False,
                   double_precision: bool = False) -> None:
        """A number; in the new style as a tensor, of 64 bits if `double_precision`."""
        made = scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._add(made, global_step, walltime)

    def add_scalars(self, main_tag: str, tag_scalar_dict: dict[str, Any],
                    global_step: int | None = None, walltime: float | None = None) -> None:
        """Numbers that are shown in one picture, each in an event file of its own."""
        walltime = time.time() if walltime is None else walltime
        folder = f"{self._get_file_writer().get_logdir()}/{main_tag.replace('/', '_')}"
        writers = self.all_writers or {}
        for tag, value in tag_scalar_dict.items():
            own = f"{folder}_{tag}"
            if own not in writers:
                writers[own] = self._writer_in(own)
            writers[own].add_summary(scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None,
                   walltime: float | None = None) -> None:
        """A whole tensor."""
        self._add(tensor_proto(tag, tensor), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: int | None = None,
                 walltime: float | None = None) -> None:
        """A text in Markdown."""
        self._add(text(tag, text_string), global_step, walltime)

    def add_hparams(self, hparam_dict: dict[str, Any], metric_dict: dict[str, Any],
                    hparam_domain_discrete: dict[str, list] | None = None,
                    run_name: str | None = None, global_step: int | None = None) -> None:
        """The settings of a run beside its results, in a folder of its own (`run_name`).

        Raises:
            TypeError: not dictionaries.
            ValueError: a setting is not a number, bool or text.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        parts = hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = self._get_file_writer().get_logdir()
        with SummaryWriter(os.path.join(folder, run_name or str(time.time()))) as writer:
            for part in parts:
                writer._add(part, global_step)
            for tag, value in metric_dict.items():
                writer.add_scalar(tag, value, global_step)

    # ---------------------------------------------------------------- distributions

    def add_histogram(self, tag: str, values: Any, global_step: int | None = None,
                      bins: Any = "tensorflow", walltime: float | None = None,
                      max_bins: int | None = None) -> None:
        """The distribution of an array's elements; `bins` as NumPy's, or "tensorflow"."""
        bins = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(self, tag: str, min: Any, max: Any, num: Any, sum: Any, sum_squares: Any,
                          bucket_limits: Any, bucket_counts: Any, global_step: int | None = None,
                          walltime: float | None = None) -> None:
        """A distribution by its counts below each limit. ValueError if these are not as many."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        self._add(histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts),
                  global_step, walltime)

    def add_pr_curve(self, tag: str, labels: Any, predictions: Any, global_step: int | None = None,
                     num_thresholds: int = 127, weights: Any = None,
                     walltime: float | None = None) -> None:
        """Precision and recall of predictions (0 to 1) of labels (0 or 1), by threshold."""
        made = pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(self, tag: str, true_positive_counts: Any, false_positive_counts: Any,
                         true_negative_counts: Any, false_negative_counts: Any, precision: Any,
                         recall: Any, global_step: int | None = None, num_thresholds: int = 127,
                         weights: Any = None, walltime: float | None = None) -> None:
        """The same from what has been counted, one number a threshold."""
        made = pr_curve_raw(tag, true_positive_counts, false_positive_counts, true_negative_counts,
                            false_negative_counts, precision, recall, num_thresholds)
        self._add(made, global_step, walltime)

    # ---------------------------------------------------------------- pictures, films, sounds

    def add_image(self, tag: str, img_tensor: Any, global_step: int | None = None,
                  walltime: float | None = None, dataformats: str = "CHW") -> None:
        """A picture of floats from 0 to 1 or bytes, dimensions in `dataformats`'s order."""
        self._add(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag: str, img_tensor: Any, global_step: int | None = None,
                   walltime: float | None = None, dataformats: str = "NCHW") -> None:
        """Several pictures in rows of eight, dimensions in `dataformats`'s order."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(self, tag: str, img_tensor: Any, box_tensor: Any,
                             global_step: int | None = None, walltime: float | None = None,
                             rescale: float = 1, dataformats: str = "CHW",
                             labels: Any = None) -> None:
        """A picture with a red box for each (left, top, right, bottom); needs pillow."""
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != box_tensor.shape[0]:
            labels = None
        self._add(image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels),
                  global_step, walltime)

    def add_figure(self, tag: str, figure: Any, global_step: int | None = None, close: bool = True,
                   walltime: float | None = None) -> None:
        """A figure of matplotlib, or a list of them, as pictures; closed afterwards."""
        several = isinstance(figure, list)
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime,
                       "NCHW" if several else "CHW")

    def add_video(self, tag: str, vid_tensor: Any, global_step: int | None = None, fps: float = 4,
                  walltime: float | None = None) -> None:
        """Films (N, T, C, H, W) of floats from 0 to 1 or bytes, beside each other; needs pillow."""
        self._add(video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(self, tag: str, snd_tensor: Any, global_step: int | None = None,
                  sample_rate: int = 44100, walltime: float | None = None) -> None:
        """A sound (L,) or (1, L) of numbers from -1 to 1."""
        self._add(audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_mesh(self, tag: str, vertices: Any, colors: Any = None, faces: Any = None,
                 config_dict: dict | None = None, global_step: int | None = None,
                 walltime: float | None = None) -> None:
        """Bodies in space: vertices (N, V, 3), colors (N, V, 3), faces (N, F, 3)."""
        self._add(mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    # ---------------------------------------------------------------- charts of several scalars

    def add_custom_scalars(self, layout: dict[str, dict[str, list]]) -> None:
        """Charts by {category: {title: [kind, tags]}}, of kind "Multiline" or "Margin"."""
        self._add(custom_scalars(layout))

    def add_custom_scalars_multilinechart(self, tags: list[str], category: str = "default",
                                          title: str = "untitled") -> None:
        """Several scalars in one chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: list[str], category: str = "default",
                                       title: str = "untitled") -> None:
        """A scalar between two others, its bounds."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    # ---------------------------------------------------------------- models and points

    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False,
                  use_strict_trace: bool = True) -> None:
        """The layers and functions that `model(*input_to_model)` goes through, by torch.fx.

        Raises what torch.fx.symbolic_trace raises for a model whose course depends on its input.
        """
        made = graph_of(model, as_inputs(input_to_model))
        if verbose:
            print(made)
        self._get_file_writer().add_graph((made, None))

    def add_onnx_graph(self, prototxt: Any) -> None:
        """NotImplementedError: graphs of ONNX are not read."""
        raise NotImplementedError("SummaryWriter.add_onnx_graph is not supported")

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
        step, points = global_step or 0, make_np(mat)
        images = None if label_img is None else make_np(label_img)
        run, folder = self._get_file_writer().get_logdir(), embedding.folder_of(tag, step)
        path = os.path.join(run, folder)
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

        config = tensorboard("plugins.projector.projector_config_pb2").ProjectorConfig(
            embeddings=self._embeddings)
        folder = self._get_file_writer().get_logdir()
        with open(os.path.join(folder, "projector_config.pbtxt"), "w", encoding="utf-8") as file:
            file.write(text_format.MessageToString(config))

    # ---------------------------------------------------------------- its end

    def flush(self) -> None:
        """Write what is held back."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write what is held back, and close the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
