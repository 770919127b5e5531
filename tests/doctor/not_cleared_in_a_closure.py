import torch
x = torch.randn(4, requires_grad=True)
opt = torch.optim.LBFGS([x], lr=0.1)
def closure():
    loss = (x - 1).pow(2).sum()
    loss.backward()
    return loss
for i in range(5):
    opt.step(closure)
    print(closure().item())
