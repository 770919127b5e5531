import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5),
                    nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters())
x, labels = torch.randn(32, 8), torch.randint(3, (32,))


@torch.no_grad()
def accuracy():
    right = 0
    for inputs, wanted in zip(x.split(16), labels.split(16)):
        right += (net(inputs).argmax(1) == wanted).sum().item()
    return right / len(x)


def validate(model, inputs, wanted):
    with torch.no_grad():
        scores = model(inputs)
        predicted = scores.max(1)[1]
        return (predicted == wanted).float().mean()


for epoch in range(4):
    loss = nn.functional.cross_entropy(net(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(accuracy(), validate(net, x, labels))
