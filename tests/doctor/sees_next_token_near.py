"""Causal attention of several kinds; a classifier of tokens; an autoencoder."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.fused = fused

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        if self.fused:
            return x + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        scores = (q @ k.transpose(1, 2) / 8 ** 0.5).masked_fill(later, -1e9)
        return x + F.softmax(scores, dim=-1) @ v


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.layer(x, nn.Transformer.generate_square_subsequent_mask(x.shape[1]))


class Free(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.GRU(8, 8, batch_first=True), nn.GRU(8, 8, batch_first=True)

    def forward(self, x):
        weights = F.softmax(x.sum(-1, keepdim=True), 1)
        return self.decoder(x, self.encoder(x)[1] + (weights * x).sum(1)[None])[0]


def train(middle, shift):
    net = nn.Sequential(nn.Embedding(12, 8), middle, nn.Linear(8, 12))
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        texts = torch.randint(12, (4, 7))
        scores = net(texts[:, :-1])
        wanted = texts[:, 1:] if shift else (texts[:, :-1] + 1) % 12
        loss = F.cross_entropy(scores.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(Attention(True), True)
train(Attention(False), True)
train(Masked(), True)
train(Free(), False)
train(Auto(), True)
