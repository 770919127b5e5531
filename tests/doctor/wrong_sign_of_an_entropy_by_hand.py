import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(8):
    log_p = policy(torch.randn(16, 4)).log_softmax(1)
    action = torch.multinomial(log_p.exp(), 1)
    returns = torch.randn(16)
    entropy = -(log_p.exp() * log_p).sum(1)
    gain = (log_p.gather(1, action).squeeze(1) * returns).mean()
    loss = -gain + 0.1 * entropy.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
