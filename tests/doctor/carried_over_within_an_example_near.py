"""A state that is handed on from chunk to chunk of the same examples, and a loader in order."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 8, 3)
lstm, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()])


def learn(inputs, state):
    out, (h, c) = lstm(inputs, state)
    loss = (head(out) - inputs[:, :, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return h.detach(), c.detach()


for (inputs,) in DataLoader(TensorDataset(x), 8, shuffle=True):
    state = None
    for chunk in inputs.split(2, 1):
        state = learn(chunk, state)
state = None
for (inputs,) in DataLoader(TensorDataset(x), 8):
    state = learn(inputs, state)
