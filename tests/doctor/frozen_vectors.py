import torch
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors)
        self.output = nn.Linear(8, 2)

    def forward(self, words):
        return self.output(self.embedding(words).mean(1))


net = Classifier(torch.randn(30, 8))
optimizer = torch.optim.Adam([{"params": net.embedding.parameters(), "lr": 1e-4},
                              {"params": net.output.parameters()}], lr=1e-2)
words = torch.randint(0, 30, (40, 5))
for _ in range(6):
    loss = nn.functional.cross_entropy(net(words), words[:, 0] % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
