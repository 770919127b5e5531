"""An activation by default, which has no parameters; and an encoder that two networks are given."""
import torch
from torch import nn

torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, encoder, activation=nn.Tanh()):
        super().__init__()
        self.encoder, self.activation, self.head = encoder, activation, nn.Linear(4, 1)
    def forward(self, x):
        return self.head(self.activation(self.encoder(x)))
encoder = nn.Linear(4, 4)
first, second = Net(encoder), Net(encoder)
optimizer = torch.optim.SGD({*first.parameters(), *second.parameters()}, lr=0.1)
for _ in range(3):
    x = torch.randn(8, 4)
    loss = first(x).pow(2).mean() + (second(x) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
