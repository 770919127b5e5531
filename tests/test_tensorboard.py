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
        with pytest.raises(NotImplementedError, match="SummaryWriter.add_onnx_graph"):
            writer.add_onnx_graph(None)
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    assert [(e.step, e.value) for e in events.Scalars("loss")] == [(0, 2), (1, 1), (2, 0)]
    assert events.Histograms("weights")[0].histogram_value.sum == 10
    picture = events.Images("picture")[0]
    assert (picture.width, picture.height) == (5, 4)
    assert picture.encoded_image_string[:4] == b"\x89PNG"
    assert (tmp_path / "both_a").is_dir()


def test_hparams_curves_and_grids_are_read_back(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    from tensorboard.plugins.hparams import metadata

    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1, "deep": True, "kind": "sgd", "n": torch.tensor(3)},
                           {"loss": 2.0}, {"kind": ["sgd", "adam"]}, run_name="run")
        writer.add_images("grid", torch.rand(9, 3, 4, 5), 0)
        labels, scores = torch.tensor([0, 1, 1, 0]), torch.tensor([0.1, 0.8, 0.4, 0.6])
        writer.add_pr_curve("curve", labels, scores, 0, num_thresholds=11)
        with pytest.raises(TypeError, match="should be dictionary"):
            writer.add_hparams([], {})
        with pytest.raises(ValueError, match="value should be one of int, float, str"):
            writer.add_hparams({"a": []}, {})
    run = accumulator.EventAccumulator(str(tmp_path / "run"))
    run.Reload()
    assert [e.value for e in run.Scalars("loss")] == [2.0]
    plugin = run.summary_metadata[metadata.SESSION_START_INFO_TAG].plugin_data
    settings = metadata.parse_session_start_info_plugin_data(plugin.content).hparams
    assert settings["lr"].number_value == 0.1 and settings["deep"].bool_value
    assert settings["kind"].string_value == "sgd" and settings["n"].number_value == 3
    plugin = run.summary_metadata[metadata.EXPERIMENT_TAG].plugin_data
    infos = metadata.parse_experiment_plugin_data(plugin.content).hparam_infos
    domain = next(info for info in infos if info.name == "kind").domain_discrete
    assert [v.string_value for v in domain.values] == ["sgd", "adam"]
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    picture = events.Images("grid")[0]
    assert (picture.width, picture.height) == (40, 8)
    (curve,) = events.Tensors("curve")
    tp, fp, tn, fn, precision, recall = torch.tensor(curve.tensor_proto.float_val).reshape(6, 11)
    assert (tp[0], fp[0], tn[0], fn[0]) == (2, 2, 0, 0)
    assert (tp[5], fp[5], tn[5], fn[5]) == (1, 1, 1, 1) and precision[5] == recall[5] == 0.5
    assert precision[7] == 1 and recall[10] == 0


def test_figures_become_pictures(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(2, 1), dpi=50)
    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("one", figure, 0)
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    picture = events.Images("one")[0]
    assert (picture.width, picture.height) == (100, 50)


def test_without_the_package(tmp_path, monkeypatch):
    for name in ["tensorboard", *(name for name in sys.modules if name.startswith("tensorboard."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="needs the package tensorboard"):
        SummaryWriter(tmp_path)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
        self.scale = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return (self.layers(x) * self.scale).sum(1)


def test_a_graph_has_the_model_s_layers(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Net(), torch.ones(2, 4))
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    nodes = {node.name: node for node in events.Graph().node}
    layer = nodes["Net/Sequential[layers]/Linear[0]/layers_0"]
    assert (layer.op, list(layer.input)) == ("Linear", ["Net/input/x"])
    assert [d.size for d in layer.attr["_output_shapes"].list.shape[0].dim] == [2, 3]
    product = next(node for node in nodes.values() if node.op == "mul")
    assert list(product.input) == ["Net/Sequential[layers]/ReLU[1]/layers_1", "Net/scale"]
    assert all(given in nodes for node in nodes.values() for given in node.input)


def test_an_embedding_s_files(tmp_path):
    pytest.importorskip("tensorboard")
    points = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(points, ["a", "b", "c"], torch.rand(3, 1, 4, 4), 7, "of/all")
        writer.add_embedding(points, [["a", 1], ["b", 2], ["c", 3]], metadata_header=["x", "y"])
        with pytest.raises(AssertionError, match="^#labels should equal with #data points$"):
            writer.add_embedding(points, ["a"], tag="bad")
    folder = tmp_path / "00007" / "of%2fall"
    assert (folder / "tensors.tsv").read_text() == "1.0\t2.0\n3.0\t4.0\n5.0\t6.5\n"
    assert (folder / "metadata.tsv").read_text() == "a\nb\nc\n"
    assert (folder / "sprite.png").read_bytes()[16:24] == b"\0\0\0\x08\0\0\0\x08"
    assert (tmp_path / "00000" / "default" / "metadata.tsv").read_text().startswith("x\ty\na\t1\n")
    assert not (tmp_path / "00000" / "bad").exists()
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_name: "of/all:00007"' in config and "single_image_dim: 4" in config
