"""State that is saved and loaded: partly, strictly, frozen, renamed, by reference and by class."""
import copy
import io
import pickle
from collections import OrderedDict

import torch
import torch.nn as nn


def roundtrip(value, **options):
    torch.save(value, file := io.BytesIO())
    file.seek(0)
    return torch.load(file, **options)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(OrderedDict(conv=nn.Conv2d(3, 4, 3), norm=nn.BatchNorm2d(4)))
        self.register_buffer("scale", torch.tensor(2.0))
        self.register_buffer("cache", torch.zeros(1), persistent=False)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.stem(x).mean((2, 3))) * self.scale


net = Backbone()
print([(k, tuple(v.shape)) for k, v in net.state_dict().items()])
other = Backbone()
print(other.load_state_dict(roundtrip(net.state_dict())))
wrapped = OrderedDict(("module." + k, v) for k, v in net.state_dict().items())
try:
    other.load_state_dict(wrapped)
except RuntimeError as e:
    print(str(e))
print(other.load_state_dict({k.removeprefix("module."): v for k, v in wrapped.items()}))
pretrained = {k: v for k, v in net.state_dict().items() if not k.startswith("head")}
pretrained["extra.weight"] = torch.ones(1)
print(other.load_state_dict(pretrained, strict=False))
bad = dict(net.state_dict(), **{"head.weight": torch.zeros(3, 4)})
try:
    other.load_state_dict(bad, strict=False)
except RuntimeError as e:
    print(str(e))
for p in other.stem.parameters():
    p.requires_grad = False
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, other.parameters()), amsgrad=True)
other(torch.ones(2, 3, 5, 5)).sum().backward()
optimizer.step()
state = roundtrip(optimizer.state_dict())
print(sorted(state["state"][0]), state["param_groups"][0]["params"], state["param_groups"][0]["lr"])
fresh = torch.optim.Adam(other.head.parameters(), lr=5.0)
fresh.load_state_dict(state)
print(fresh.param_groups[0]["lr"], fresh.param_groups[0]["amsgrad"], fresh.state_dict()["state"][1]["step"])
shared = torch.arange(6.0)
a, b = roundtrip([shared, shared[2:4]])
a[2] = 9
print(b, a.data_ptr() + 8 == b.data_ptr())
whole = roundtrip(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), weights_only=False)
print(whole)
try:
    roundtrip(nn.Linear(1, 1))
except pickle.UnpicklingError as e:
    print("refused:", "Weights only load failed" in str(e))
twin = copy.deepcopy(net)
twin.head.weight.data.zero_()
print(net.head.weight.abs().sum() > 0, pickle.loads(pickle.dumps(net.head)).weight.equal(net.head.weight))
tied = nn.ModuleDict({"a": nn.Linear(2, 2, bias=False), "b": nn.Linear(2, 2, bias=False)})
tied["b"].weight = tied["a"].weight
print(len(list(tied.parameters())), len(tied.state_dict()), copy.deepcopy(tied)["a"].weight is
      copy.deepcopy(tied)["b"].weight, [n for n, _ in tied.named_parameters(remove_duplicate=False)])
nested = roundtrip({"epoch": 3, "best": 0.5, "history": [1.0, (2, "x")], "args": {"lr": 1e-3},
                    "dtype": torch.float16, "size": torch.Size([1, 2]), "mask": shared > 2,
                    "empty": torch.empty(0), "scalar": torch.tensor(1j)})
print(nested)
