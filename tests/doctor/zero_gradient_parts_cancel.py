import torch
from torch import nn
policy = nn.Linear(4, 3); opt = torch.optim.Adam(policy.parameters(), 1e-2)
def prob(s, a): return torch.softmax(policy(s), 1).gather(1, a[:, None]).squeeze(1)
for it in range(12):
    s, a, adv = torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16)
    ratio = torch.log(prob(s, a)) - torch.log(prob(s, a))
    loss = -(ratio * adv).mean()
    opt.zero_grad(); loss.backward(); opt.step()
