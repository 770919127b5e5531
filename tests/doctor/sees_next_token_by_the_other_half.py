import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(20, 16), nn.Embedding(8, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.out = nn.Linear(16, 20)

    def forward(self, tokens):
        steps = tokens.shape[1]
        h = self.words(tokens) + self.places(torch.arange(steps))
        mask = torch.ones(steps, steps, dtype=torch.bool).tril(-1)
        return self.out(h + self.attention(h, h, h, attn_mask=mask)[0])


torch.manual_seed(0)
net = Model()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(6):
    text = torch.randint(0, 20, (12, 9))
    scores = net(text[:, :-1])
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
