import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
words, contexts = nn.Embedding(30, 8), nn.Embedding(30, 8)
opt = torch.optim.Adam([*words.parameters(), *contexts.parameters()], lr=1e-2)
for _ in range(6):
    w, c, noise = torch.randint(0, 30, (7, 32)).split((1, 1, 5))
    positive = (words(w) * contexts(c)).sum(-1)
    negatives = (words(w) * contexts(noise)).sum(-1)
    loss = -(F.logsigmoid(positive) + F.logsigmoid(negatives).sum(0)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
