"""An agent whose optimizer was given the network that stands still."""
import torch
from torch import nn
import torch.nn.functional as F

class Agent:
    def __init__(self):
        self.policy, self.target = nn.Linear(4, 2), nn.Linear(4, 2)
        self.opt = torch.optim.Adam(self.target.parameters(), lr=0.01)
    def learn(self, state):
        with torch.no_grad():
            wanted = torch.rand(8) + 0.9 * self.target(state).max(1).values
        loss = F.mse_loss(self.policy(state)[:, 0], wanted)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
agent = Agent()
for _ in range(6):
    agent.learn(torch.randn(8, 4))
