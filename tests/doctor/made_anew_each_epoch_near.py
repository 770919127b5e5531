"""A new optimizer for each task, at other rates, with a schedule, after an average."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def loader_of(task):
    x = torch.randn(32, 4)
    return DataLoader(TensorDataset(x, (x[:, task] > 0).long()), 8, shuffle=True)


def epoch(net, optimizer, loader, schedule=None):
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if schedule is not None:
            schedule.step()


learner = nn.Linear(4, 2)
for task in range(4):
    epoch(learner, torch.optim.Adam(learner.parameters()), loader_of(task))
stages, loader = nn.Linear(4, 2), loader_of(0)
for rate in (1e-2, 1e-3, 1e-4):
    epoch(stages, torch.optim.Adam(stages.parameters(), lr=rate), loader)
cyclic = nn.Linear(4, 2)
for _ in range(4):
    optimizer = torch.optim.Adam(cyclic.parameters())
    epoch(cyclic, optimizer, loader, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9))
shared, local = nn.Linear(4, 2), nn.Linear(4, 2)
for _ in range(4):
    local.load_state_dict(shared.state_dict())
    epoch(local, torch.optim.Adam(local.parameters()), loader)
    shared.load_state_dict({k: (v + local.state_dict()[k]) / 2
                            for k, v in shared.state_dict().items()})
for fold in range(4):
    learner.reset_parameters()
    epoch(learner, torch.optim.Adam(learner.parameters()), loader)
