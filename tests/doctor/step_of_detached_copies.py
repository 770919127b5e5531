import torch

torch.manual_seed(0)
weights = [torch.randn(3, 1).requires_grad_(), torch.zeros(3).requires_grad_()]
optimizer = torch.optim.Adam(weights, lr=0.001)
for _ in range(6):
    x = torch.randn(8, 1)
    loss = torch.nn.functional.linear(x, *weights).pow(2).mean()
    grads = torch.autograd.grad(loss, weights)
    copies = [w.clone() for w in weights]
    fast = [(w - 0.05 * g).detach().requires_grad_() for w, g in zip(copies, grads)]
    loss = torch.nn.functional.linear(x, *fast).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
