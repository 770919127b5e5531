import torch
import torch.nn as nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.5)
X, Y, Xv, Yv = torch.randn(64, 4), torch.randint(0, 2, (64,)), torch.randn(32, 4), torch.randint(0, 2, (32,))
best_loss, best_model = 1e9, None
for epoch in range(20):
    model.train()
    loss = nn.functional.cross_entropy(model(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
    model.eval()
    with torch.no_grad():
        v = nn.functional.cross_entropy(model(Xv), Yv).item()
    if v < best_loss:
        best_loss = v
        best_model = model
best_model.eval()
with torch.no_grad():
    print(nn.functional.cross_entropy(best_model(Xv), Yv))
