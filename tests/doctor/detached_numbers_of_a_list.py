import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.log_probs = []

    def forward(self, x):
        return torch.softmax(self.layer(x), dim=-1)


def act(state):
    chosen = Categorical(policy(state))
    action = chosen.sample()
    policy.log_probs.append(chosen.log_prob(action).item())
    return action.item()


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(3):
    rewards = [float(act(torch.randn(4))) for _ in range(5)]
    terms = [-p * r for p, r in zip(policy.log_probs, rewards)]
    loss = torch.tensor(terms, requires_grad=True).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    policy.log_probs.clear()
