import torch
from torch import nn

policy, critic = nn.Linear(3, 4), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.01)
for it in range(8):
    drawn, values = [], []
    for state in torch.randn(8, 3):
        choice = torch.distributions.Categorical(logits=policy(state))
        drawn.append(choice.log_prob(choice.sample()))
        values.append(critic(state))
    returns, values = torch.randn(8), torch.stack(values)
    loss = -(torch.stack(drawn) * (returns - values.detach())).mean()
    loss = loss + (values[:, 0] - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
