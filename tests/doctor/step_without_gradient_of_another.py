import torch
from torch import nn

torch.manual_seed(0)
models = [nn.Linear(4, 2) for _ in range(2)]
first, second = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
x, y = torch.randn(8, 4), torch.randint(2, (8,))
for optimizer in (first, second, first, second):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(models[0](x), y)
    loss.backward()
    optimizer.step()
