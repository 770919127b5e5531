import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0], requires_grad=True)
loss = (w * x).sum()
w.data.mul_(0.5)
loss.backward()
