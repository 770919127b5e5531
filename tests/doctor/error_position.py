import torch
pos = torch.tensor([1.2, 3.7], requires_grad=True)
table = torch.randn(10)
opt = torch.optim.SGD([pos], lr=0.1)
for i in range(3):
    value = table[pos.round().long()]
    loss = (value - 1).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
