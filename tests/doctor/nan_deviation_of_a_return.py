import torch
from torch import nn
policy = nn.Linear(4, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(5):
    length = 1 if episode == 2 else 6
    logps, rewards = [], []
    for t in range(length):
        d = torch.distributions.Categorical(logits=policy(torch.randn(4)))
        a = d.sample(); logps.append(d.log_prob(a)); rewards.append(float(a))
    R = torch.tensor(rewards)
    R = (R - R.mean()) / (R.std() + 1e-8)
    loss = -(torch.stack(logps) * R).sum()
    opt.zero_grad(); loss.backward(); opt.step()
