import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.fc = nn.Linear(8, 100)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).mean((2, 3)))


model = Backbone()
for p in model.parameters():
    p.requires_grad = False
model.classifier = nn.Linear(8, 5)
optimizer = torch.optim.Adam(model.classifier.parameters(), 1e-3)
out = model(torch.randn(4, 3, 8, 8))
loss = nn.functional.cross_entropy(out, torch.randint(0, 5, (4,)))
loss.backward()
