import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(2, 3)
        self.hidden = torch.zeros(1, 3)

    def forward(self, x):
        self.hidden = self.cell(x, self.hidden)
        return self.hidden.sum()


model = Model()
opt = torch.optim.Adam(model.parameters())
for t in range(3):
    loss = model(torch.ones(1, 2))
    opt.zero_grad()
    loss.backward()
    opt.step()
