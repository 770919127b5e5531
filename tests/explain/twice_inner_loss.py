import torch

w = torch.ones(3, requires_grad=True)
inner = ((w * torch.ones(3)) ** 2).sum()
(g,) = torch.autograd.grad(inner, w, create_graph=True)
outer = ((w - 0.1 * g) ** 2).sum()
inner.backward()
outer.backward()
