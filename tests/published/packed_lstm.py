"""Bidirectional LSTMs over packed sequences, with attention and a projection."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
)
from torch.utils.data import DataLoader


def collate(samples):
    samples.sort(key=lambda s: len(s[0]), reverse=True)
    lengths = torch.tensor([len(s) for s, _ in samples])
    return (pad_sequence([s for s, _ in samples], batch_first=True), lengths,
            torch.tensor([y for _, y in samples]))


class Tagger(nn.Module):
    def __init__(self, proj_size=0):
        super().__init__()
        self.embedding = nn.Embedding(12, 6, padding_idx=0)
        self.lstm = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1,
                            proj_size=proj_size)
        self.attention = nn.Linear(2 * (proj_size or 5), 1)
        self.out = nn.Linear(2 * (proj_size or 5), 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embedding(x), lengths, batch_first=True)
        output, (h, c) = self.lstm(packed)
        output, _ = pad_packed_sequence(output, batch_first=True)
        mask = torch.arange(output.size(1))[None, :] < lengths[:, None]
        scores = self.attention(output).squeeze(-1).masked_fill(~mask, -1e9)
        return self.out((scores.softmax(1).unsqueeze(1) @ output).squeeze(1)), h, c


data = [(torch.randint(1, 12, (int(n),)), int(n) % 2) for n in torch.randint(2, 9, (12,))]
for proj_size in (0, 3):
    model = Tagger(proj_size)
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.02)
    loader = DataLoader(data, batch_size=4, shuffle=True, collate_fn=collate, drop_last=True)
    for epoch in range(2):
        for x, lengths, y in loader:
            logits, h, c = model(x, lengths)
            loss = nn.functional.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, f"{loss.item():.4f}", tuple(h.shape), tuple(c.shape), f"{h.sum():.4f}",
              f"{model.embedding.weight.grad[0].abs().sum():.1f}")
packed = pack_sequence([torch.ones(2, 3), torch.zeros(4, 3), torch.ones(1, 3) * 2],
                       enforce_sorted=False)
print(packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
out, h = nn.GRU(3, 2, bidirectional=True)(packed)
print([tuple(s.shape) for s in unpack_sequence(out)], f"{h.sum():.4f}")
