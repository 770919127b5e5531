import torch

p = torch.tensor([0.5, -0.1, 0.2], requires_grad=True)
y = p * 2
z = torch.log(y)
loss = z.sum()
loss.backward()
