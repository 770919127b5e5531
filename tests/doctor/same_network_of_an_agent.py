import torch, random
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self, s, a):
        super().__init__()
        self.l1, self.l2 = nn.Linear(s, 24), nn.Linear(24, a)
    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))
class Agent():
    def __init__(self):
        self.qnetwork_local = Net(4, 2)
        self.qnetwork_target = self.qnetwork_local
        self.optimizer = torch.optim.Adam(self.qnetwork_local.parameters(), lr=5e-4)
        self.memory = []
    def learn(self, experiences, gamma=0.99):
        s, a, r, ns, d = experiences
        q_next = self.qnetwork_target(ns).detach().max(1)[0].unsqueeze(1)
        q_target = r + gamma * q_next * (1 - d)
        q = self.qnetwork_local(s).gather(1, a)
        loss = F.mse_loss(q, q_target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.soft_update(self.qnetwork_local, self.qnetwork_target, 1e-3)
    def soft_update(self, local, target, tau):
        for t, l in zip(target.parameters(), local.parameters()):
            t.data.copy_(tau * l.data + (1.0 - tau) * t.data)
agent = Agent()
for i in range(15):
    b = 16
    agent.learn((torch.randn(b, 4), torch.randint(0, 2, (b, 1)), torch.randn(b, 1), torch.randn(b, 4), torch.zeros(b, 1)))
