import torch

x = torch.tensor([3.0, 4.0], requires_grad=True)
y = x.exp()
loss = (y * y).sum()
y.detach().numpy()[0] = 0.0
loss.backward()
