"""Objects to save, made alike under either torch, and a plain form to compare them in."""

from __future__ import annotations

import collections

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 "
    "float16 bfloat16 float32 float64 complex64 complex128"
).split()


def make(torch):
    """Name to an object; the names are those of tests/data/files/*.pt."""
    x = torch.arange(24.0).view(2, 3, 4)
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1, amsgrad=True)
    (net(torch.arange(12.0).view(4, 3).sin()) - 1).pow(2).sum().backward()
    optimizer.step()
    return {
        "dtypes": {
            name: torch.tensor([0, 1, 1, 0]).to(getattr(torch, name)) for name in DTYPES
        },
        "layouts": {
            "whole": x,
            "turned": x.permute(2, 0, 1),
            "row": x[1],
            "steps": x[:, ::2, 1:3],
            "expanded": torch.ones(3, 1).expand(3, 5),
            "scalar": torch.tensor(3.5),
            "empty": torch.empty(0, 3),
            "none": torch.zeros(0),
        },
        "leaves": [
            torch.nn.Parameter(torch.ones(2, 2)),
            torch.nn.Parameter(torch.ones(2), requires_grad=False),
            torch.ones(3, requires_grad=True),
        ],
        "containers": [
            (1, (2.5, "text\u20ac", b"bytes", None, True, 1j)),
            {"a": {4, 5}, 3: [2**80, -7, float("inf"), ""]},
            collections.OrderedDict([("b", 1), ("a", [])]),
            collections.Counter("aab"),
            bytearray(b"x"),
            [torch.float32, torch.bfloat16, torch.Size([2, 3]), torch.device("cpu"), torch.strided],
        ],
        "training": {"net": net.state_dict(), "optimizer": optimizer.state_dict()},
    }


def objects(torch):
    """Whole objects; tests/data/files/objects.pt has them as PyTorch wrote them."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
    sgd = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    schedules = torch.optim.lr_scheduler
    cycles = [schedules.CyclicLR(sgd, 0.1, 0.5, 2, mode=mode, gamma=0.9)
              for mode in ("triangular", "triangular2", "exp_range")]
    averages = [torch.optim.swa_utils.SWALR(sgd, 0.01, 3, way) for way in ("cos", "linear")]
    functions = [torch.nn.functional.linear, torch.nn.functional.logsigmoid,
                 torch.linalg.vector_norm, torch.fft.fft, torch.special.expit]
    return {"schedules": [*cycles, *averages], "scaler": torch.amp.GradScaler("cpu"),
            "traced": torch.fx.symbolic_trace(net), "functions": functions}


def plain(value):
    """Everything that can be seen of an object, without Tensors."""
    if hasattr(value, "detach"):
        kind = type(value).__name__, str(value.dtype), value.requires_grad
        place = tuple(value.shape), value.stride(), value.storage_offset() * bool(value.numel())
        return kind, place, value.untyped_storage().nbytes(), value.detach().tolist()
    if isinstance(value, dict):
        return type(value).__name__, [(key, plain(v)) for key, v in value.items()]
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value).__name__, [plain(v) for v in value]
    return type(value).__name__, str(value)
