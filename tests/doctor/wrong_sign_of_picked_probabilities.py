import torch
from torch import nn

policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(8):
    states, returns = torch.randn(10, 4), torch.randn(10)
    probs = torch.softmax(policy(states), -1)
    actions = torch.multinomial(probs, 1).squeeze(1)
    log_probs = torch.log(probs[torch.arange(10), actions])
    loss = (log_probs * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
