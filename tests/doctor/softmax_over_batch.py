import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=0))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(6):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    probs = model(x)
    loss = -torch.log(probs[torch.arange(8), y]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
