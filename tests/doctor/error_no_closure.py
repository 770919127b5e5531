import torch
x = torch.randn(4, requires_grad=True)
opt = torch.optim.LBFGS([x], lr=0.1)
for i in range(5):
    opt.zero_grad()
    loss = (x - 1).pow(2).sum()
    loss.backward()
    opt.step()
