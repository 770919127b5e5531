import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 16)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0), 1, enable_nested_tensor=False)
        self.out = nn.Linear(16, 2)

    def forward(self, tokens):
        h = self.encoder(self.embedding(tokens))
        return self.out(h.mean(1))


net = Classifier()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    tokens, labels = torch.randint(0, 30, (4, 7)), torch.randint(0, 2, (4,))
    loss = nn.functional.cross_entropy(net(tokens), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
