import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    x = torch.randn(100, 6)
    y = x.sum(1, keepdim=True)
    train = DataLoader(TensorDataset(x[:80], y[:80]), batch_size=10, shuffle=True)
    valid = DataLoader(TensorDataset(x[80:], y[80:]), batch_size=10)
    print(len(train), "batches")
    net = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
    for epoch in range(3):
        for batch, target in valid:
            loss = nn.functional.mse_loss(net(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(net(a), b).item() for a, b in valid))


main()
