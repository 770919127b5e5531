import torch


def new(*sizes):
    start = torch.randn(sizes, requires_grad=True)
    return start * 0.1


opt = torch.optim.SGD([new(3, 4), new(4)], lr=0.1)
