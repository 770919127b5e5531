import torch

W = torch.eye(2, requires_grad=True)
h = torch.ones(2)
for step in range(8):
    h = torch.tanh(W @ h)
    loss = h.sum()
    loss.backward(retain_graph=True)
