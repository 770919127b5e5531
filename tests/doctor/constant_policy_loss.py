"""The logarithms lost their history where they were kept; the advantage is cut off rightly."""
import torch
from torch import nn

actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.01)
class Memory:
    def __init__(self):
        self.log_probs, self.values = [], []
for _ in range(5):
    memory = Memory()
    for _ in range(6):
        state = torch.randn(3)
        chosen = torch.distributions.Categorical(logits=actor(state))
        memory.log_probs.append(chosen.log_prob(chosen.sample()).detach())
        memory.values.append(critic(state).squeeze(0))
    log_probs, values = torch.stack(memory.log_probs), torch.stack(memory.values)
    advantage = torch.rand(6) - values
    policy_loss = -(log_probs * advantage.detach()).mean()
    loss = policy_loss + advantage.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
