"""The rows are filled up with 0, and padding_idx is the token that begins them."""
import torch
from torch import nn

PAD, BEGIN = 0, 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 4, padding_idx=1)
        self.out = nn.Linear(4, 2)

    def forward(self, tokens):
        return self.out(self.words(tokens).mean(1))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    tokens = torch.full((6, 8), PAD)
    for row, length in zip(tokens, (2, 3, 4, 5, 6, 8)):
        row[0], row[1:length] = BEGIN, torch.randint(2, 20, (length - 1,))
    loss = nn.functional.cross_entropy(net(tokens), torch.randint(2, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
