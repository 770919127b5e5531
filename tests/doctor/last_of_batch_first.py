import torch
from torch import nn
rnn, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2); opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], 1e-3)
for it in range(5):
    x, y = torch.randn(6, 6, 3), torch.randint(0, 2, (6,))
    out, _ = rnn(x)
    loss = nn.functional.cross_entropy(head(out[-1]), y)
    opt.zero_grad(); loss.backward(); opt.step()
