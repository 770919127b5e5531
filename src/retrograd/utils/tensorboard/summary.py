"""The summaries that SummaryWriter writes: a function for each kind, as in PyTorch."""

from __future__ import annotations

import io
import json
import struct
import wave
import zlib
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ._convert_np import make_np
from ._protos import plugin, summary_of, tensor_of, tensorboard
from ._utils import _prepare_video, convert_to_HWC

__all__ = [
    "audio",
    "compute_curve",
    "custom_scalars",
    "draw_boxes",
    "half_to_int",
    "histogram",
    "histogram_raw",
    "hparams",
    "image",
    "image_boxes",
    "int_to_half",
    "make_histogram",
    "make_image",
    "make_video",
    "mesh",
    "pr_curve",
    "pr_curve_raw",
    "scalar",
    "tensor_proto",
    "text",
    "video",
]


# ------------------------------------------------------------------------------ numbers


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False,
    double_precision: bool = False,
) -> Any:
    """One number; in the new style as a tensor, of 64 bits if `double_precision`."""
    array = make_np(tensor).squeeze()
    if array.ndim:
        raise AssertionError("Tensor should contain one element (0 dimensions). Was given size: "
                             f"{array.size} and {array.ndim} dimensions.")
    number = float(array)
    if not new_style:
        return summary_of(name, simple_value=number)
    kind, field = ("DT_DOUBLE", "double_val") if double_precision else ("DT_FLOAT", "float_val")
    proto = tensorboard("compat.proto.tensor_pb2").TensorProto(dtype=kind, **{field: [number]})
    return summary_of(name, tensor=proto, metadata=plugin("scalars"))


def half_to_int(f: float) -> int:
    """The bits of a float32, which is how numbers in half precision are written."""
    return struct.unpack("i", struct.pack("f", f))[0]


def int_to_half(i: int) -> float:
    """The inverse of `half_to_int`."""
    return struct.unpack("f", struct.pack("i", i))[0]


_FIELDS = {     # dtype: its name in TensorBoard, and where the numbers stand
    "float16": ("DT_HALF", "half_val"), "bfloat16": ("DT_BFLOAT16", "half_val"),
    "float32": ("DT_FLOAT", "float_val"), "float64": ("DT_DOUBLE", "double_val"),
    "bool": ("DT_BOOL", "bool_val"), "uint8": ("DT_UINT8", "uint32_val"),
    "int8": ("DT_INT8", "int_val"), "int16": ("DT_INT16", "int_val"),
    "int32": ("DT_INT32", "int_val"), "int64": ("DT_INT64", "int64_val"),
    "complex64": ("DT_COMPLEX64", "scomplex_val"), "complex128": ("DT_COMPLEX128", "dcomplex_val"),
}  # fmt: skip


def tensor_proto(tag: str, tensor: Tensor) -> Any:
    """A whole tensor. ValueError for a dtype that TensorBoard has no place for, or 2 GB of it."""
    if tensor.numel() * tensor.itemsize >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    if tensor.dtype.name not in _FIELDS:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    kind, field = _FIELDS[tensor.dtype.name]
    values = tensor.detach().flatten().tolist()
    if field == "half_val":
        values = [half_to_int(v) for v in values]
    elif field.endswith("complex_val"):
        values = [part for v in values for part in (v.real, v.imag)]
    proto = tensor_of(kind, tensor.shape, **{field: values})
    return summary_of(tag, tensor=proto, metadata=plugin("tensor"))


def text(tag: str, text: str) -> Any:
    """A text in Markdown."""
    version = tensorboard("plugins.text.plugin_data_pb2").TextPluginData(version=0)
    return summary_of(f"{tag}/text_summary",
                      tensor=tensor_of("DT_STRING", (1,), string_val=[text.encode()]),
                      metadata=plugin("text", version.SerializeToString()))


# ------------------------------------------------------------------------------ distributions


def histogram_raw(
    name: str, min: Any, max: Any, num: Any, sum: Any, sum_squares: Any, bucket_limits: Any,
    bucket_counts: Any,
) -> Any:
    """A distribution by its counts below each limit."""
    kind = tensorboard("compat.proto.summary_pb2").HistogramProto
    return summary_of(name, histo=kind(min=min, max=max, num=num, sum=sum, sum_squares=sum_squares,
                                       bucket_limit=bucket_limits, bucket=bucket_counts))


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """The distribution of an array's elements; `bins` as NumPy's."""
    return summary_of(name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))


def make_histogram(values: np.ndarray, bins: Any, max_bins: int | None = None) -> Any:
    """Counts between limits, without the empty bins at both ends; of more than `max_bins` several
    are put together."""
    if values.size == 0:
        raise ValueError("The input has no element.")
    values = values.ravel()
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        limits = np.append(limits[:-1:step], limits[-1])
        counts = np.add.reduceat(counts, np.arange(0, len(counts), step))
    used = np.flatnonzero(counts)
    if not used.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = used[0], used[-1] + 1
    before = counts[first - 1] if first else 0           # an empty bin, so that the first one shows
    return tensorboard("compat.proto.summary_pb2").HistogramProto(
        min=values.min(), max=values.max(), num=len(values), sum=values.sum(),
        sum_squares=values.dot(values), bucket_limit=limits[first : last + 1].tolist(),
        bucket=[before, *counts[first:last].tolist()],
    )


def pr_curve(
    tag: str, labels: np.ndarray, predictions: np.ndarray, num_thresholds: int = 127,
    weights: Any = None,
) -> Any:
    """Precision and recall of predictions (0 to 1) of labels (0 or 1), by threshold."""
    n = min(num_thresholds, 127)  # more are not shown
    return _pr_curve(tag, compute_curve(labels, predictions, n, weights), n)


def pr_curve_raw(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any,
    num_thresholds: int = 127, weights: Any = None,
) -> Any:
    """The same from what has been counted."""
    table = np.stack([tp, fp, tn, fn, precision, recall])
    return _pr_curve(tag, table, min(num_thresholds, 127))


def _pr_curve(tag: str, table: np.ndarray, n: int) -> Any:
    data = tensorboard("plugins.pr_curve.plugin_data_pb2").PrCurvePluginData(version=0,
                                                                             num_thresholds=n)
    tensor = tensor_of("DT_FLOAT", table.shape, float_val=table.ravel().tolist())
    return summary_of(tag, tensor=tensor, metadata=plugin("pr_curves", data.SerializeToString()))


def compute_curve(
    labels: np.ndarray, predictions: np.ndarray, num_thresholds: int = 127, weights: Any = None
) -> np.ndarray:
    """(6, n): true and false positives, true and false negatives, precision and recall."""
    weights = 1.0 if weights is None else make_np(weights)
    bucket = np.floor(predictions * (num_thresholds - 1)).astype(np.int32)
    labels = labels.astype(np.float64)

    def above(weight: np.ndarray) -> np.ndarray:  # of predictions from each threshold on
        counts, _ = np.histogram(bucket, num_thresholds, (0, num_thresholds - 1), weights=weight)
        return counts[::-1].cumsum()[::-1]

    tp, fp = above(labels * weights), above((1.0 - labels) * weights)
    precision = tp / np.maximum(1e-7, tp + fp)
    recall = tp / np.maximum(1e-7, tp[0])
    return np.stack([tp, fp, fp[0] - fp, tp[0] - tp, precision, recall])


# ------------------------------------------------------------------------------ pictures, sounds


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """A picture of floats from 0 to 1 or bytes, dimensions in `dataformats`'s order."""
    return summary_of(tag, image=make_image(_as_bytes(tensor, dataformats), rescale))


def image_boxes(
    tag: str, tensor_image: Any, tensor_boxes: Any, rescale: float = 1, dataformats: str = "CHW",
    labels: Any = None,
) -> Any:
    """A picture with a box for each row of (left, top, right, bottom)."""
    picture, boxes = _as_bytes(tensor_image, dataformats), make_np(tensor_boxes)
    return summary_of(tag, image=make_image(picture, rescale, boxes, labels))


def _calc_scale_factor(tensor: Any) -> int:
    """What brings floats from 0 to 1 to the range of bytes."""
    return 1 if make_np(tensor).dtype == np.uint8 else 255


def _as_bytes(tensor: Any, dataformats: str) -> np.ndarray:
    array = convert_to_HWC(make_np(tensor), dataformats)
    return (array.astype(np.float32) * _calc_scale_factor(array)).clip(0, 255).astype(np.uint8)


def make_image(tensor: np.ndarray, rescale: float = 1, rois: Any = None, labels: Any = None) -> Any:
    """(H, W, C) bytes as an image; boxes and other sizes need the package pillow."""
    height, width, channels = tensor.shape
    if rois is not None or rescale != 1:
        picture = _pillow("Image").fromarray(tensor)
        if rois is not None:
            picture = draw_boxes(picture, rois, labels)
        size = int(width * rescale), int(height * rescale)
        tensor = np.asarray(picture.resize(size, _pillow("Image").Resampling.LANCZOS))
    return tensorboard("compat.proto.summary_pb2").Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=_png(tensor)
    )


def draw_boxes(disp_image: Any, boxes: np.ndarray, labels: Any = None) -> Any:
    """A picture of pillow with red boxes, each labelled at its lower left corner."""
    draw, font = _pillow("ImageDraw").Draw(disp_image), _pillow("ImageFont").load_default()
    for i, (left, top, right, bottom) in enumerate(boxes[:, :4].tolist()):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(corners, width=2, fill="Red")
        if labels is not None and labels[i]:
            x0, y0, x1, y1 = font.getbbox(labels[i])
            margin = np.ceil(0.05 * (y1 - y0))
            line = bottom - (y1 - y0) - margin
            draw.rectangle([(left, line - margin), (left + x1 - x0, bottom)], fill="Red")
            draw.text((left + margin, line), labels[i], fill="black", font=font)
    return disp_image


def _pillow(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"PIL.{module}")
    except ImportError as error:
        raise ImportError("this needs the package pillow: pip install pillow") from error


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


def video(tag: str, tensor: Any, fps: float = 4) -> Any:
    """Films (N, T, C, H, W) beside each other."""
    film = _prepare_video(make_np(tensor))
    film = (film * _calc_scale_factor(film)).clip(0, 255).astype(np.uint8)
    return summary_of(tag, image=make_video(film, fps))


def make_video(tensor: np.ndarray, fps: float) -> Any:
    """(T, H, W, C) bytes as a GIF, which the package pillow writes (PyTorch's needs moviepy)."""
    _, height, width, channels = tensor.shape
    frames = [_pillow("Image").fromarray(f[..., 0] if channels == 1 else f) for f in tensor]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=1000 / fps,
                   loop=0)
    return tensorboard("compat.proto.summary_pb2").Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue()
    )


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Any:
    """A sound of one channel, numbers from -1 to 1; louder ones are cut off, which is said."""
    array = make_np(tensor).squeeze()
    if abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    if array.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes((array * 32767).astype("<i2").tobytes())
    kind = tensorboard("compat.proto.summary_pb2").Summary.Audio
    return summary_of(tag, audio=kind(sample_rate=sample_rate, num_channels=1,
                                      length_frames=array.shape[0], content_type="audio/wav",
                                      encoded_audio_string=file.getvalue()))


# ------------------------------------------------------------------------------ layouts, settings


def custom_scalars(layout: dict[str, dict[str, list]]) -> Any:
    """{category: {title: [kind, tags]}}: charts of several scalars; of kind "Margin" three tags."""
    protos = tensorboard("plugins.custom_scalar.layout_pb2")

    def chart(title: str, kind: str, tags: list[str]) -> Any:
        if kind != "Margin":
            return protos.Chart(title=title, multiline=protos.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError("len(tags) != 3")
        value, lower, upper = tags
        series = protos.MarginChartContent.Series(value=value, lower=lower, upper=upper)
        return protos.Chart(title=title, margin=protos.MarginChartContent(series=[series]))

    made = protos.Layout(category=[
        protos.Category(title=category, chart=[chart(title, *content[:2])
                                               for title, content in charts.items()])
        for category, charts in layout.items()])
    return summary_of("custom_scalars__config__", metadata=plugin("custom_scalars"),
                      tensor=tensor_of("DT_STRING", (), string_val=[made.SerializeToString()]))


def mesh(
    tag: str, vertices: Any, colors: Any, faces: Any, config_dict: dict | None,
    display_name: str | None = None, description: str | None = None,
) -> Any:
    """Bodies in space: vertices (N, V, 3), with colors (N, V, 3) and faces (N, F, 3) or None."""
    metadata = tensorboard("plugins.mesh.metadata")
    kinds = tensorboard("plugins.mesh.plugin_data_pb2").MeshPluginData
    parts = [(part, kind) for part, kind in ((vertices, kinds.VERTEX), (faces, kinds.FACE),
                                             (colors, kinds.COLOR)) if part is not None]
    components = metadata.get_components_bitmask([kind for _, kind in parts])
    config = json.dumps(config_dict, sort_keys=True) if config_dict is not None else "{}"
    whole = tensorboard("compat.proto.summary_pb2").Summary()
    for part, kind in parts:
        array = np.asarray(part.detach() if isinstance(part, Tensor) else part)
        about = metadata.create_summary_metadata(tag, display_name, kind, components, array.shape,
                                                 description, json_config=config)
        whole.value.add(tag=metadata.get_instance_name(tag, kind), metadata=about,
                        tensor=tensor_of("DT_FLOAT", array.shape, float_val=array.ravel().tolist()))
    return whole


def hparams(
    hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None
) -> tuple[Any, Any, Any]:
    """What a run was given and is measured by: summaries of the experiment, its start and its end.

    Raises:
        TypeError: not dictionaries, or a domain of values of another type.
        ValueError: a setting is not a number, bool or text.
    """
    for name, given in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict),
                        ("hparam_domain_discrete", hparam_domain_discrete or {})):
        if not isinstance(given, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    api = tensorboard("plugins.hparams.api_pb2")
    data = tensorboard("plugins.hparams.plugin_data_pb2")
    names = tensorboard("plugins.hparams.metadata")
    settings = {name: _setting(value) for name, value in hparam_dict.items() if value is not None}
    domains = hparam_domain_discrete or {}
    for name, options in domains.items():
        kind = type(hparam_dict.get(name))
        if not isinstance(options, list) or not all(isinstance(o, kind) for o in options):
            raise TypeError(f"parameter: hparam_domain_discrete[{name}] should be a list of same "
                            f"type as hparam_dict[{name}].")
    experiment = api.Experiment(
        hparam_infos=[_hparam_info(api, *item, domains) for item in settings.items()],
        metric_infos=[api.MetricInfo(name=api.MetricName(tag=tag)) for tag in metric_dict])
    start = data.SessionStartInfo()
    for name, value in settings.items():
        setattr(start.hparams[name], _field(value), value)
    end = data.SessionEndInfo(status=api.STATUS_SUCCESS)

    def part(tag: str, **content: Any) -> Any:
        made = data.HParamsPluginData(version=names.PLUGIN_DATA_VERSION, **content)
        return summary_of(tag, metadata=plugin(names.PLUGIN_NAME, made.SerializeToString()))

    return (part(names.EXPERIMENT_TAG, experiment=experiment),
            part(names.SESSION_START_INFO_TAG, session_start_info=start),
            part(names.SESSION_END_INFO_TAG, session_end_info=end))


def _setting(value: Any) -> Any:
    """A number or a text; True and False are the numbers 1 and 0."""
    value = value.flatten()[0].item() if isinstance(value, Tensor) else value
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (int, float, str)):
        raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
    return value


def _field(value: Any) -> str:
    """Where a setting stands in TensorBoard's records."""
    return "string_value" if isinstance(value, str) else "number_value"


def _hparam_info(api: Any, name: str, value: Any, domains: dict[str, list]) -> Any:
    """The type of a setting and the values that it may have."""
    kind = "STRING" if isinstance(value, str) else "FLOAT64"
    info = api.HParamInfo(name=name, type=getattr(api, f"DATA_TYPE_{kind}"))
    for option in domains.get(name, ()):
        info.domain_discrete.values.add(**{_field(option): option})
    return info
