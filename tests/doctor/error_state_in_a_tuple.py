import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(3, 8), nn.Linear(8, 2)
        self.state = torch.zeros(1, 8), torch.zeros(1, 8)

    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.out(self.state[0])


torch.manual_seed(0)
agent = Agent()
for _ in range(2):
    loss = agent(torch.randn(1, 3)).pow(2).mean()
    loss.backward()
