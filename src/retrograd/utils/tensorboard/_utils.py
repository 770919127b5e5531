"""Images and videos as arrays, in the order of dimensions in which they are written."""

from __future__ import annotations

from typing import Any

import numpy as np


def figure_to_image(figures: Any, close: bool = True) -> np.ndarray:
    """A figure of matplotlib as (3, H, W) bytes, a list of them as (N, 3, H, W)."""
    if isinstance(figures, list):
        return np.stack([figure_to_image(figure, close) for figure in figures])
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figures)
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    if close:
        from matplotlib import pyplot

        pyplot.close(figures)
    return np.moveaxis(image, -1, 0)  # (H, W, 3) -> (3, H, W)


def make_grid(images: np.ndarray, ncols: int = 8) -> np.ndarray:
    """(N, 1 or 3, H, W) -> one (3, rows H, columns W), black where there are no more."""
    if not isinstance(images, np.ndarray):
        raise AssertionError("plugin error, should pass numpy array here")
    if images.ndim != 4 or images.shape[1] not in (1, 3):
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    n, _, height, width = images.shape
    columns = min(n, ncols)
    rows = -(-n // columns)
    whole = np.zeros((rows * columns, 3, height, width), images.dtype)
    whole[:n] = images
    whole = whole.reshape(rows, columns, 3, height, width).transpose(2, 0, 3, 1, 4)
    return whole.reshape(3, rows * height, columns * width)


def convert_to_HWC(tensor: np.ndarray, input_format: str) -> np.ndarray:
    """A picture, or several in a grid, as (H, W, 3 or 4); gray becomes three equal channels."""
    if len(set(input_format)) != len(input_format):
        raise AssertionError("You can not use the same dimension shorthand twice. "
                             f"input_format: {input_format}")
    if tensor.ndim != len(input_format):
        raise AssertionError("size of input tensor and input format are different. "
                             f"tensor shape: {tensor.shape}, input_format: {input_format}")
    order = {4: "NCHW", 3: "HWC", 2: "HW"}[tensor.ndim]
    tensor = tensor.transpose([input_format.upper().find(d) for d in order])
    if tensor.ndim == 4:
        return make_grid(tensor).transpose(1, 2, 0)
    if tensor.ndim == 2:
        tensor = tensor[..., None]
    return np.concatenate([tensor] * 3, 2) if tensor.shape[2] == 1 else tensor


def _prepare_video(V: np.ndarray) -> np.ndarray:
    """(N, T, C, H, W) -> (T, rows H, columns W, C), the films beside each other.

    Their number is filled up to a power of two; bytes become numbers from 0 to 1.
    """
    n, t, c, h, w = V.shape
    films = V / np.float32(255) if V.dtype == np.uint8 else V
    if n & (n - 1):
        films = np.concatenate([films, np.zeros((2 ** n.bit_length() - n, t, c, h, w))])
    rows = 2 ** ((n.bit_length() - 1) // 2)
    columns = len(films) // rows
    films = films.reshape(rows, columns, t, c, h, w).transpose(2, 0, 4, 1, 5, 3)
    return films.reshape(t, rows * h, columns * w, c)
