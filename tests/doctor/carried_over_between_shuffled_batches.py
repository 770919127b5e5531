import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 8, 3)
loader = DataLoader(TensorDataset(x, x[:, :, 0].sum(1, keepdim=True)), 8, shuffle=True)
lstm, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()])
state = None
for epoch in range(2):
    for inputs, target in loader:
        out, (h, c) = lstm(inputs, state)
        state = h.detach(), c.detach()
        loss = (head(out[:, -1]) - target).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
