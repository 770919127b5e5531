import torch

w, b = torch.randn(4, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
params = [w, b]
x = torch.randn(8, 4)
for _ in range(3):
    loss = (x @ params[0] + params[1] - 1).pow(2).mean()
    grads = torch.autograd.grad(loss, params)
    with torch.no_grad():
        params = [p - 0.1 * g for p, g in zip(params, grads, strict=True)]
