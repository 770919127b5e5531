import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action], -1))


def act(state):
    mean, log_std = policy(state).chunk(2, -1)
    normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
    action = normal.rsample()
    return torch.tanh(action), normal.log_prob(action)


policy, first, second = nn.Linear(3, 2), Critic(), Critic()
of_policy = torch.optim.Adam(policy.parameters(), lr=1e-3)
of_critics = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-3)
for _ in range(8):
    s, after, a = torch.randn(16, 3), torch.randn(16, 3), torch.rand(16, 1)
    rewards = torch.randn(16, 1)
    with torch.no_grad():
        b, log_prob = act(after)
        backup = rewards + 0.99 * (torch.min(first(after, b), second(after, b)) - 0.2 * log_prob)
    loss = nn.functional.mse_loss(first(s, a), backup) + nn.functional.mse_loss(second(s, a), backup)
    of_critics.zero_grad()
    loss.backward()
    of_critics.step()
    a, log_prob = act(s)
    value = torch.min(first(s, a), second(s, a))
    loss = (0.2 * log_prob + value).mean()
    of_policy.zero_grad()
    loss.backward()
    of_policy.step()
