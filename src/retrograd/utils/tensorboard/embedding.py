"""The files that TensorBoard's projector reads: points, their labels and their images."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np


def folder_of(tag: str, step: int) -> str:
    """Where an embedding's files lie below the run's folder."""
    for sign, code in (("%", "%25"), ("/", "%2f"), ("\\", "%5c")):
        tag = tag.replace(sign, code)
    return f"{str(step).zfill(5)}/{tag}"


def check(points: np.ndarray, labels: Any, images: Any) -> None:
    """PyTorch's AssertionError for parts that do not fit."""
    if labels is not None and points.shape[0] != len(labels):
        raise AssertionError("#labels should equal with #data points")
    if images is not None and points.shape[0] != images.shape[0]:
        raise AssertionError("#images should equal with #data points")
    if points.ndim != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")


def rows_of_labels(labels: Any, header: Any) -> list[str]:
    """The lines of metadata.tsv; with a header each label is a row of cells."""
    if not header:
        return [str(label) for label in labels]
    if len(header) != len(labels[0]):
        raise AssertionError("len of header must be equal to the number of columns in metadata")
    return ["\t".join(map(str, row)) for row in [header, *labels]]


def sprite(images: np.ndarray) -> np.ndarray:
    """(N, C, H, W) from 0 to 1 -> one square of bytes with as many rows as columns, (H, W, 3)."""
    n, channels, height, width = images.shape
    side = math.ceil(n ** 0.5)
    whole = np.zeros((side * side, height, width, 3))
    whole[:n] = images.transpose(0, 2, 3, 1)          # one channel stands for all three
    whole = whole.reshape(side, side, height, width, 3).swapaxes(1, 2)
    square = whole.reshape(side * height, side * width, 3)
    return (square * 255).clip(0, 255).astype(np.uint8)


def write_lines(path: str, lines: list[str]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def information(folder: str, tag: str, step: int, labels: Any, images: Any) -> Any:
    """The entry of projector_config.pbtxt."""
    from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

    info = EmbeddingInfo(tensor_name=f"{tag}:{str(step).zfill(5)}",
                         tensor_path=os.path.join(folder, "tensors.tsv"))
    if labels is not None:
        info.metadata_path = os.path.join(folder, "metadata.tsv")
    if images is not None:
        info.sprite.image_path = os.path.join(folder, "sprite.png")
        info.sprite.single_image_dim.extend([images.shape[3], images.shape[2]])
    return info
