"""Frozen and in eval mode, or in training mode on purpose; by turns, as in a GAN; a teacher."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU()).requires_grad_(False).eval()
student = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
teacher = copy.deepcopy(student).requires_grad_(False)
critic = nn.Sequential(nn.Linear(1, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
both = torch.optim.SGD(student.parameters(), lr=0.1), torch.optim.SGD(critic.parameters(), lr=0.1)
for _ in range(4):
    features = backbone(torch.randn(8, 4))
    with torch.no_grad():
        wanted = teacher(features)
    critic.requires_grad_(False)
    out = student(features)
    both[0].zero_grad()
    ((out - wanted).pow(2).mean() - critic(out).mean()).backward()
    both[0].step()
    critic.requires_grad_(True)
    both[1].zero_grad()
    critic(out.detach()).mean().backward()
    both[1].step()
    with torch.no_grad():
        for old, new in zip(teacher.parameters(), student.parameters()):
            old.lerp_(new, 0.1)
tuned = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
tuned[:2].requires_grad_(False)
optimizer = torch.optim.SGD(tuned[2].parameters(), lr=0.1)
for phase in ["train", "val", "train", "val"]:
    tuned.train(phase == "train")
    for _ in range(2):
        optimizer.zero_grad()
        with torch.set_grad_enabled(phase == "train"):
            loss = tuned(torch.randn(8, 4)).pow(2).mean()
        if phase == "train":
            loss.backward()
            optimizer.step()
