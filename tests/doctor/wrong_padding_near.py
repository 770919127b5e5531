"""Rows that end in the padding_idx, in nothing in particular, or often in one real token."""
import torch
from torch import nn

torch.manual_seed(0)


def train(padding_idx, batches):
    words, out = nn.Embedding(20, 4, padding_idx=padding_idx), nn.Linear(4, 2)
    optimizer = torch.optim.Adam([*words.parameters(), *out.parameters()])
    for tokens in batches:
        loss = nn.functional.cross_entropy(out(words(tokens).mean(1)), torch.randint(2, (6,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def padded(padding, kept):
    tokens = torch.full((6, 8), padding)
    for row, length in zip(tokens, kept):
        row[:length] = torch.randint(5, 20, (length,))
    return tokens


lengths = (2, 3, 4, 5, 6, 8)
train(0, [padded(0, lengths) for _ in range(3)])
train(0, [torch.randint(1, 20, (6, 8)) for _ in range(3)])
train(0, [torch.randint(1, 3, (6, 8)) for _ in range(3)])
train(0, [torch.where(torch.rand(6, 8) < 0.8, 4, torch.randint(5, 20, (6, 8))) for _ in range(3)])
train(19, [padded(0, (5,) * 6) for _ in range(3)])
