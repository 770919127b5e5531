import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(6):
    y = torch.randint(0, 2, (8, 3)).float()
    loss = nn.BCEWithLogitsLoss()(net(torch.randn(8, 4)), y)
    opt.zero_grad(); loss.backward(); opt.step()
