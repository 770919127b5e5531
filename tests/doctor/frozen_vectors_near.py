"""Vectors that are frozen on purpose, trained, or among all parameters of a network."""
import torch
from torch import nn

torch.manual_seed(0)
vectors = torch.randn(30, 8)
words = torch.randint(0, 30, (40, 5))


class Classifier(nn.Module):
    def __init__(self, embedding):
        super().__init__()
        self.embedding, self.output = embedding, nn.Linear(8, 2)

    def forward(self, words):
        return self.output(self.embedding(words).mean(1))


frozen = Classifier(nn.Embedding.from_pretrained(vectors, freeze=True))
tuned = Classifier(nn.Embedding.from_pretrained(vectors.clone(), freeze=False))
plain = Classifier(nn.Embedding.from_pretrained(vectors))
late = Classifier(nn.Embedding.from_pretrained(vectors.clone()))
for net in (frozen, tuned, plain, late):
    groups = [{"params": net.embedding.parameters(), "lr": 1e-4},
              {"params": net.output.parameters()}]
    optimizer = torch.optim.Adam(net.parameters() if net is plain else groups, lr=1e-2)
    for step in range(8):
        if net is late and step == 6:
            net.embedding.weight.requires_grad_(True)
        loss = nn.functional.cross_entropy(net(words), words[:, 0] % 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
