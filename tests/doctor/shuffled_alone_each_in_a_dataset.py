import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def load():
    X = torch.randn(80, 5)
    y = X.sum(1, keepdim=True)
    return X, y


X, y = load()
X = X[torch.randperm(len(X))]
y = y[torch.randperm(len(y))]
net = nn.Linear(5, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, target in DataLoader(TensorDataset(X, y), batch_size=20):
    loss = nn.functional.mse_loss(net(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
