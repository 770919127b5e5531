"""A closure computes the gradients inside of step()."""
import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.LBFGS([w], max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    return loss


for step in range(2):
    optimizer.step(closure)
