import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 3)
        self.decoder = nn.Linear(3, 1)

    def forward(self, x):
        hidden = torch.relu(self.encoder(x))
        return self.decoder(hidden).detach()


def main():
    net = Net()
    loss = nn.functional.mse_loss(net(torch.ones(2, 3)), torch.zeros(2, 1))
    loss.backward()


main()
