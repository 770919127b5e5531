import torch
from torch import nn
from torch.distributions import Categorical, Normal

mean, critic, actor = nn.Linear(3, 1), nn.Linear(3, 1), nn.Linear(3, 2)
policy = torch.optim.Adam([*mean.parameters(), *actor.parameters()])
values = torch.optim.Adam(critic.parameters())
for _ in range(6):
    states = torch.randn(32, 3)
    dist = Normal(mean(states), 0.5)
    actions = dist.sample()
    reward = -(actions - states[:, :1]) ** 2
    loss = (dist.log_prob(actions).sum(1, keepdim=True) * (reward - reward.mean())).mean()
    policy.zero_grad()
    loss.backward()
    policy.step()

    state = torch.randn(3)
    choice = Categorical(logits=actor(state))
    action = choice.sample()
    td_error = float(action) + 0.9 * critic(torch.randn(3)).detach() - critic(state)
    values.zero_grad()
    td_error.pow(2).mean().backward()
    values.step()
    r, value = float(action), 0.0
    total = r + 0.9 * value
    policy_loss = choice.log_prob(action) * td_error.detach()
    policy.zero_grad()
    policy_loss.mean().backward()
    policy.step()
