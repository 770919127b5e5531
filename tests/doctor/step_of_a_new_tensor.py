import torch
w = torch.randn(3, requires_grad=True)
opt = torch.optim.Adam([w], lr=0.1)
for i in range(8):
    loss = (w - 1).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    w = torch.clamp(w, 0, 1).detach().requires_grad_(True)
