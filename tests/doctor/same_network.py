import torch
from torch import nn


class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2)
        self.fixed = self.net
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def learn(self, step):
        state, reward = torch.randn(8, 4), torch.randn(8)
        with torch.no_grad():
            wanted = reward + 0.9 * self.fixed(torch.randn(8, 4)).max(1).values
        loss = nn.functional.mse_loss(self.net(state)[:, 0], wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if step % 2 == 0:
            self.fixed.load_state_dict(self.net.state_dict())


agent = Agent()
for step in range(6):
    agent.learn(step)
