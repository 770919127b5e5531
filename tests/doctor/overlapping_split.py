import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
torch.manual_seed(0)
series = torch.sin(torch.arange(600) * 0.1) + 0.1 * torch.randn(600)
L = 20
X = series.unfold(0, L + 1, 1)
ds = TensorDataset(X[:, :L].unsqueeze(-1), X[:, L:])
train, test = random_split(ds, [450, len(ds) - 450])
lstm = nn.LSTM(1, 16, batch_first=True)
head = nn.Linear(16, 1)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=1e-3)
for x, y in DataLoader(train, 64, shuffle=True):
    out, _ = lstm(x)
    loss = nn.functional.mse_loss(head(out[:, -1]), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    for x, y in DataLoader(test, 64):
        out, _ = lstm(x)
        print(nn.functional.mse_loss(head(out[:, -1]), y).item())
