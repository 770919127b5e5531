"""Actor and critic, REINFORCE and a step of PPO on a small random environment."""
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical, Normal

SavedAction = namedtuple("SavedAction", ["log_prob", "value"])


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 16)
        self.action_head, self.value_head = nn.Linear(16, 2), nn.Linear(16, 1)
        self.saved_actions, self.rewards = [], []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = optim.Adam(model.parameters(), lr=3e-2)
eps = torch.finfo(torch.float32).eps
for episode in range(4):
    state = torch.randn(4)
    for _ in range(8):
        probs, value = model(state)
        m = Categorical(probs)
        action = m.sample()
        model.saved_actions.append(SavedAction(m.log_prob(action), value))
        model.rewards.append(1.0 if action.item() == int(state[0] > 0) else -1.0)
        state = torch.tanh(state.roll(1) + 0.1 * (2 * action - 1))
    R, returns = 0, []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    policy_losses, value_losses = [], []
    for (log_prob, value), R in zip(model.saved_actions, returns):
        policy_losses.append(-log_prob * (R - value.item()))
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    print(f"episode {episode}: reward {sum(model.rewards):.1f}, loss {loss.item():.4f}")
    del model.rewards[:], model.saved_actions[:]

mean_net, log_std = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)), nn.Parameter(
    torch.zeros(2))
optimizer = optim.Adam([*mean_net.parameters(), log_std], lr=1e-2, eps=1e-5)
obs, advantages = torch.randn(16, 3), torch.randn(16)
with torch.no_grad():
    behaviour = Normal(mean_net(obs), log_std.exp())
    actions = behaviour.sample()
    old = behaviour.log_prob(actions).sum(-1)
for epoch in range(3):
    for rows in torch.randperm(16).split(8):
        now = Normal(mean_net(obs[rows]), log_std.exp())
        ratio = (now.log_prob(actions[rows]).sum(-1) - old[rows]).exp()
        surrogate = torch.min(ratio * advantages[rows],
                              ratio.clamp(0.8, 1.2) * advantages[rows])
        loss = -surrogate.mean() - 0.01 * now.entropy().sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_([*mean_net.parameters(), log_std], 0.5)
        optimizer.step()
    print(f"ppo {epoch}: {loss.item():.4f} {norm.item():.4f} {ratio.max().item():.4f}")
