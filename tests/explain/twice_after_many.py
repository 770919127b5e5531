import torch

w = torch.ones(2, requires_grad=True)
for _ in range(250):
    loss = (w**2).sum()
    loss.backward()
loss.backward()
