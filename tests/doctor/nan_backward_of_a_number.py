import torch

a = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([a], lr=0.1)
for _ in range(3):
    length = torch.sqrt((a**2).sum())
    loss = length + (a - 1).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
