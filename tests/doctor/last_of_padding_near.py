"""The last real step, the state, and sequences that are all as long."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(0)
gru, head = nn.GRU(3, 4, batch_first=True), nn.Linear(4, 2)
optimizer = torch.optim.Adam([*gru.parameters(), *head.parameters()], lr=0.01)
x, lengths, y = torch.randn(6, 5, 3), torch.tensor([5, 4, 4, 3, 2, 2]), torch.randint(2, (6,))
for _ in range(4):
    packed, h = gru(pack_padded_sequence(x, lengths, batch_first=True))
    out, n = pad_packed_sequence(packed, batch_first=True)
    packed, _ = gru(pack_padded_sequence(x, torch.full((6,), 5), batch_first=True))
    whole, _ = pad_packed_sequence(packed, batch_first=True)
    last = out[torch.arange(6), n - 1] + h[-1] + whole[:, -1] + out[:, 0]
    loss = nn.functional.cross_entropy(head(last), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
