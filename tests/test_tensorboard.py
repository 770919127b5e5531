"""SummaryWriter: what it writes, TensorBoard's own reader finds."""

from __future__ import annotations

import sys

import pytest

import retrograd as torch
from retrograd.utils.tensorboard import SummaryWriter


def test_events_are_read_back(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with SummaryWriter(tmp_path) as writer:
        for i in range(3):
            writer.add_scalar("loss", torch.tensor(2.0 - i), i)
        writer.add_scalars("both", {"a": 1, "b": 2}, 0)
        writer.add_histogram("weights", torch.arange(5.0), 0)
        writer.add_image("picture", torch.rand(3, 4, 5), 0)
        writer.add_text("note", "text", 0)
        with pytest.raises(NotImplementedError, match="SummaryWriter.add_graph"):
            writer.add_graph(None)
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    assert [(e.step, e.value) for e in events.Scalars("loss")] == [(0, 2), (1, 1), (2, 0)]
    assert events.Histograms("weights")[0].histogram_value.sum == 10
    picture = events.Images("picture")[0]
    assert (picture.width, picture.height) == (5, 4)
    assert picture.encoded_image_string[:4] == b"\x89PNG"
    assert (tmp_path / "both_a").is_dir()


def test_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ImportError, match="needs the package tensorboard"):
        SummaryWriter(tmp_path)
