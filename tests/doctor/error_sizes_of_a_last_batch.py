import torch
net = torch.nn.Linear(4, 1)
ones = torch.ones(8, 1)
for x in torch.randn(20, 4).split(8):
    loss = (net(x) - ones).pow(2).mean()
