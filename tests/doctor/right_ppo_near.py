"""An actor and a critic, several epochs on the same rollout, advantages without a graph."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


net = ActorCritic()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-4)
for iteration in range(3):
    states, actions, old, values, rewards = [], [], [], [], []
    for t in range(6):
        s = torch.randn(4)
        with torch.no_grad():
            dist, v = net(s)
            a = dist.sample()
        states.append(s)
        actions.append(a)
        old.append(dist.log_prob(a))
        values.append(v)
        rewards.append(float(a == 1))
    s, a, old, values = map(torch.stack, (states, actions, old, values))
    returns, g = [], 0.0
    for r in reversed(rewards):
        g = r + 0.9 * g
        returns.insert(0, g)
    returns = torch.tensor(returns)
    advantage = returns - values
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for epoch in range(3):
        dist, v = net(s)
        ratio = (dist.log_prob(a) - old).exp()
        policy = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        loss = policy + 0.5 * (v - returns).pow(2).mean() - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
