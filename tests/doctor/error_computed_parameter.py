import torch
import torch.nn.functional as F
W = torch.randn(20, 3, requires_grad=True) * 0.01
b = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([W, b], lr=0.1)
x, y = torch.randn(32, 20), torch.randint(0, 3, (32,))
for i in range(5):
    loss = F.cross_entropy(x @ W + b, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
