import torch
A = torch.randn(10, 5); b = torch.rand(10)
x = torch.rand(5, requires_grad=True)
opt = torch.optim.Adam([x], lr=0.05)
for it in range(10):
    loss = (A @ x - b).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    x = torch.clamp(x, 0, 1)
