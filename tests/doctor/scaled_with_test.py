import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(500, 8) * 3 + 5
y = (X[:, 0] * 2 - X[:, 1]).unsqueeze(1)
mean, std = X.mean(0), X.std(0)
X = (X - mean) / std
X_train, X_test = X[:400], X[400:]
y_train, y_test = y[:400], y[400:]
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(10):
    model.train()
    loss = nn.functional.mse_loss(model(X_train), y_train)
    opt.zero_grad()
    loss.backward()
    opt.step()
model.eval()
with torch.no_grad():
    print(nn.functional.mse_loss(model(X_test), y_test).item())
