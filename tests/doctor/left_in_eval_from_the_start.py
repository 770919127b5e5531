import torch
from torch import nn
model = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.5), nn.ReLU(), nn.Linear(12, 2))
model.eval()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
def validate():
    model.eval()
    with torch.no_grad():
        return model(torch.randn(10, 6)).mean().item()
for epoch in range(4):
    for i in range(3):
        x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    validate()
