import torch
from torch import nn

net = nn.Linear(3, 1)
for phase in ["train", "val"]:
    with torch.set_grad_enabled(phase == "train"):
        out = net(torch.ones(2, 3))
        loss = out.mean()
    loss.backward()
