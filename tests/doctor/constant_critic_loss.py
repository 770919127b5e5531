"""A critic that gets no gradient: by .data in its own loss, not by the advantage's detach()."""
import torch
from torch import nn

class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = nn.Linear(3, 2), nn.Linear(3, 1)
    def forward(self, x):
        return self.actor(x).log_softmax(1), self.critic(x).squeeze(1)
agent = Agent()
opt = torch.optim.Adam(agent.parameters(), lr=0.01)
for _ in range(6):
    log_probs, values = agent(torch.randn(8, 3))
    returns = torch.rand(8)
    advantage = returns - values
    policy_loss = -(log_probs[:, 0] * advantage.detach()).mean()
    value_loss = (returns - values.data).pow(2).mean()
    loss = policy_loss + 0.5 * value_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
