import torch
from torch import nn

torch.manual_seed(0)
emit, change = nn.Linear(6, 4), nn.Parameter(torch.randn(4, 4) * 0.1)
opt = torch.optim.SGD([*emit.parameters(), change], lr=0.01)
for _ in range(2):
    scores = emit(torch.randn(90, 6) * 3)
    alpha = torch.exp(scores[0])
    for t in range(1, 90):
        alpha = (alpha[:, None] * torch.exp(change)).sum(0) * torch.exp(scores[t])
    loss = torch.log(alpha.sum()) - scores.max(1).values.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
