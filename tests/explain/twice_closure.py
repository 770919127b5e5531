import torch

w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.LBFGS([w])
loss = (w**2).sum()


def closure():
    optimizer.zero_grad()
    loss.backward()
    return loss


optimizer.step(closure)
