import torch
from torch import nn


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.1), nn.Linear(8, 4))

    def forward(self, x):
        return self.layers(x)


wanted, learner = Features(), Features()
wanted.eval()
optimizer = torch.optim.Adam(list(wanted.parameters()) + list(learner.parameters()))
for _ in range(6):
    x = torch.randn(8, 5)
    loss = nn.functional.mse_loss(learner(x), wanted(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
