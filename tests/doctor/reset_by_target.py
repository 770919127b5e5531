import copy

import torch
from torch import nn

torch.manual_seed(0)


class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target = copy.deepcopy(self.net)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=0.01)

    def follow(self):
        self.net.load_state_dict(self.target.state_dict())

    def learn(self):
        states, following = torch.randn(2, 16, 4)
        with torch.no_grad():
            goal = states[:, 0] + 0.9 * self.target(following).max(1).values
        loss = (self.net(states)[:, 0] - goal).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


agent = Agent()
for step in range(1, 13):
    agent.learn()
    if step % 4 == 0:
        agent.follow()
