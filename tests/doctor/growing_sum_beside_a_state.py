"""The state of an LSTM is cut off in each iteration; it is the sum that keeps the graphs."""
import torch
from torch import nn

rnn = nn.LSTM(4, 4)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
def train():
    total, hidden = 0.0, (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))
    for _ in range(9):
        hidden = tuple(h.detach() for h in hidden)
        out, hidden = rnn(torch.randn(3, 2, 4), hidden)
        loss = out.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss
    return total
train()
with torch.no_grad():
    out, hidden = rnn(torch.randn(3, 2, 4))
