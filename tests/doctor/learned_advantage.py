"""An actor and a critic, whose advantage is not detached in the loss of the actor."""
import torch
from torch import nn

torch.manual_seed(0)
body, actor, critic = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *actor.parameters(), *critic.parameters()])
for _ in range(3):
    hidden = body(torch.randn(8, 4)).tanh()
    policy = torch.distributions.Categorical(logits=actor(hidden))
    action, returns = policy.sample(), torch.randn(8)
    advantage = returns - critic(hidden).squeeze(-1)
    loss = -(policy.log_prob(action) * advantage).mean() + advantage.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
