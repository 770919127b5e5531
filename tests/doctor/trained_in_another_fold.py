import torch
from torch import nn

torch.manual_seed(0)
data, target = torch.randn(60, 4), torch.randn(60, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
scores = []
for fold in range(3):
    held = torch.arange(60) % 3 == fold
    for epoch in range(4):
        net.train()
        order = torch.randperm(40)
        for i in order.split(8):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(data[~held][i]), target[~held][i])
            loss.backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            val = nn.functional.mse_loss(net(data[held]), target[held]).item()
    scores.append(val)
print(sum(scores) / len(scores))
