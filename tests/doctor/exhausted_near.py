import torch
from torch import nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X, Y = torch.randn(5, 8, 4), torch.randn(5, 8, 1)
pairs, stream = list(zip(X, Y)), iter(range(100))
for epoch in range(3):
    for x, y in pairs:
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    for number in stream:
        if number % 7 == 6:
            break
    anew = enumerate(Y)
    for k, y in anew:
        opt.defaults.get("lr")
