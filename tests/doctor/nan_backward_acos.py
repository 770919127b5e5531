import torch
w = torch.tensor([1.0, 0.5], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    loss = torch.acos(w).sum()
    opt.zero_grad(); loss.backward(); opt.step()
print(w)
