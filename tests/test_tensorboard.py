"""SummaryWriter: what it writes, TensorBoard's own reader finds."""

from __future__ import annotations

import io
import sys

import numpy as np
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
        with pytest.raises(AttributeError):
            writer.add_anything(None)
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
    assert settings["lr"].number_value == 0.1 and settings["deep"].number_value == 1
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


FIGURES = """
def T(*shape): return torch.tensor(np.random.default_rng(0).random(shape, np.float32))
u8 = (T(3, 4, 5) * 255).to(torch.uint8)
boxes = torch.tensor([[3, 4, 20, 30.], [5, 6, 45, 38]])
scores = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([.1, .8, .4, .6, 1.])
faces = torch.tensor([[[0, 1, 2], [1, 2, 3]]])
"""
CALLS = """
scalar("a", 1.5, 3, 7.0)
scalar("a", torch.tensor([2.5]), 4)
scalar("a", torch.tensor(1e-3), new_style=True)
scalar("a", torch.tensor(1e-3).double(), new_style=True, double_precision=True)
scalar("a", torch.ones(2))
scalar("a", "text")
scalar("a", None)
scalar("a", torch.ones(1, dtype=torch.bfloat16, requires_grad=True))
scalars("m/x", {"p/q": 1, "r": torch.tensor(2.)}, 5, 8.0)
tensor("u", torch.tensor([1]).to(torch.uint16))
tensor("e", torch.empty(0, 2))
histogram("h", T(50))
histogram("h", -T(5) * 100, 2)
histogram("h", torch.arange(5), bins="doane")
histogram("h", T(50), bins=[0, .1, .5, 2])
histogram("h", T(50), max_bins=7)
histogram("h", T(50), bins=100, max_bins=7)
histogram("h", torch.empty(0))
histogram_raw("h", 0, 1, 2, 3, 4, [1, 2], [3, 4])
histogram_raw("h", 0, 1, 2, 3, 4, [1, 2], [3])
image("i", T(3, 4, 5) * 3 - 1)
image("i", T(1, 4, 5))
image("i", T(4, 5), dataformats="HW")
image("i", T(4, 5, 3), dataformats="HWC")
image("i", u8)
image("i", T(4, 5))
image("i", T(3, 4, 5), dataformats="CCW")
images("i", T(9, 3, 4, 5))
images("i", T(3, 1, 4, 5))
images("i", T(2, 4, 4, 5))
image_with_boxes("b", torch.zeros(3, 40, 50), boxes, labels=["a", "bc"])
image_with_boxes("b", torch.zeros(3, 40, 50), boxes[:1], rescale=2)
image_with_boxes("b", torch.zeros(3, 40, 50), boxes, labels="x")
audio("s", torch.sin(torch.arange(100.) * .1))
audio("s", torch.ones(1, 10) * 2, sample_rate=8000)
audio("s", torch.ones(2, 10))
text("t", "h\u20acllo", 1)
pr_curve("p", *scores)
pr_curve("p", *scores, num_thresholds=200, weights=np.arange(5.))
pr_curve("p", torch.tensor([0, 1]), torch.tensor([.1, 1.5]), num_thresholds=5)
pr_curve_raw("p", *[[0., 1, 2]] * 6, num_thresholds=3)
custom_scalars_multilinechart(["a", "b"])
custom_scalars_marginchart(["a", "b", "c"], "category", "title")
custom_scalars_marginchart(["a"])
custom_scalars({"T": {"x": ["Multiline", ["a"]], "y": ["Margin", ["a", "b", "c"]]}})
mesh("m", T(1, 4, 3), (T(1, 4, 3) * 255).int(), faces, {"b": 1, "a": 2})
mesh("m", T(1, 4, 3))
hparams({"deep": True}, {"loss": 2., "acc": torch.tensor(1.)}, run_name="run")
hparams({"k": "sgd"}, {}, {"k": ["sgd", "adam"]}, run_name="other", global_step=9)
hparams({"n": torch.tensor([3]), "none": None}, {}, run_name="third")
hparams({"a": []}, {})
hparams([], {})
hparams({"a": 1}, {}, {"a": "x"})
""".strip().splitlines()
TYPES = ("float16 bfloat16 float32 float64 bool uint8 int8 int16 int32 int64 complex64 "
         "complex128").split()
CALLS += [f'tensor("t", torch.tensor([0, 1, 1]).to(torch.{name}))' for name in TYPES]


def written(torch, writer_class, folder):
    """What the calls raise, and the events in all files of the folder, without their times."""
    from PIL import Image
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    names, raised, events = {"torch": torch, "np": np}, [], {}
    exec(FIGURES, names)
    with writer_class(folder, purge_step=3) as writer:
        for line in CALLS:
            method, _, arguments = line.partition("(")
            try:
                eval(f"add_{method}({arguments}", names, {f"add_{method}":
                                                          getattr(writer, f"add_{method}")})
            except Exception as error:
                raised.append((line, type(error), " ".join(str(error).split())))
    for path in sorted(folder.glob("**/events*")):
        found = events[str(path.parent.relative_to(folder))] = []
        for data in RawEventFileLoader(str(path)).Load():
            event = Event.FromString(data)
            event.ClearField("source_metadata")
            event.wall_time *= event.wall_time < 100
            for value in event.summary.value:
                if value.HasField("image"):
                    picture = Image.open(io.BytesIO(value.image.encoded_image_string))
                    value.image.encoded_image_string = np.asarray(picture).tobytes()
            found.append(str(event))
    return raised, events


@pytest.mark.live
@pytest.mark.filterwarnings("ignore")
def test_events_are_pytorch_s(tmp_path):
    pytest.importorskip("tensorboard")
    real = pytest.importorskip("torch")
    from torch.utils.tensorboard import SummaryWriter as RealWriter

    raised, events = written(torch, SummaryWriter, tmp_path / "a")
    expected_raised, expected = written(real, RealWriter, tmp_path / "b")
    assert raised == expected_raised
    assert events.keys() == expected.keys()
    for folder, found in events.items():
        for event, other in zip(found, expected[folder], strict=True):
            assert event == other


def test_films_have_all_their_pictures(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    pillow = pytest.importorskip("PIL.Image")
    with SummaryWriter(tmp_path) as writer:
        writer.add_video("film", torch.rand(4, 5, 3, 6, 8), 0)
    events = accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    film = events.Images("film")[0]
    with pillow.open(io.BytesIO(film.encoded_image_string)) as picture:
        assert (picture.n_frames, picture.size) == (5, (16, 12))
