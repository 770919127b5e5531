import torch
from torch import nn
from torch.distributions import Categorical

policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(3):
    log_probs, rewards = [], []
    for _ in range(5):
        choice = Categorical(logits=policy(torch.randn(4)).softmax(-1))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        rewards.append(float(action))
    total, returns = 0.0, []
    for reward in rewards[::-1]:
        total = reward + 0.9 * total
        returns.append(total)
    returns.reverse()
    loss = -(torch.stack(log_probs) * torch.tensor(returns)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
