import torch
from torch import nn


class Agent:
    def __init__(self):
        self.q, self.q_target = nn.Linear(4, 2), nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.q.parameters())

    def learn(self):
        state, action = torch.randn(8, 4), torch.randint(2, (8, 1))
        with torch.no_grad():
            value = self.q_target(torch.randn(8, 4)).amax(1, keepdim=True)
        wanted = torch.randn(8, 1) + 0.99 * value
        loss = nn.functional.mse_loss(self.q(state).gather(1, action), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def soft_update(self, tau=0.005):
        for target, p in zip(self.q_target.parameters(), self.q.parameters(), strict=True):
            target.data.copy_(tau * p.data + (1 - tau) * target.data)


torch.manual_seed(0)
agent = Agent()
for _ in range(60):
    agent.learn()
