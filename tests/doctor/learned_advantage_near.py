"""An advantage that is detached, one made under no_grad(), and a weight that is to be learned."""
import torch
from torch import nn

torch.manual_seed(0)
body, actor, critic = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *actor.parameters(), *critic.parameters()])
for _ in range(3):
    hidden, returns = body(torch.randn(8, 4)).tanh(), torch.randn(8)
    policy = torch.distributions.Categorical(logits=actor(hidden))
    action, values = policy.sample(), critic(hidden).squeeze(-1)
    advantage = returns - values
    loss = -(policy.log_prob(action) * advantage.detach()).mean() + advantage.pow(2).mean()
    with torch.no_grad():
        old = returns - critic(hidden).squeeze(-1)
    chosen = actor(hidden).log_softmax(1).gather(1, action[:, None]).squeeze(1)
    loss = loss - (chosen * old).mean() - (chosen * torch.sigmoid(values)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
