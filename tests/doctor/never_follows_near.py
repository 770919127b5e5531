"""Updated later than this run goes, by a line and by a function; and a random network, as such."""
import copy

import torch
from torch import nn

torch.manual_seed(0)


def sync(source, destination):
    destination.load_state_dict(source.state_dict())


def train(net, target, discount):
    optimizer = torch.optim.Adam(net.parameters())
    for step in range(60):
        with torch.no_grad():
            value = discount * target(torch.randn(8, 4))
        loss = nn.functional.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 2) + value)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 1000:
            sync(net, target)


net = nn.Linear(4, 2)
target_net = copy.deepcopy(net)
for p in target_net.parameters():
    p.requires_grad_(False)
train(net, target_net, 0.99)
predictor, random_target = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(predictor.parameters())
for _ in range(60):
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(predictor(x), random_target(x).detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
