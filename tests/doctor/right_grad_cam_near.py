import torch
import torch.nn as nn
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(6):
    loss = nn.functional.cross_entropy(net(torch.randn(4, 1, 8, 8)), torch.randint(0, 2, (4,)))
    opt.zero_grad(); loss.backward(); opt.step()
acts, grads = {}, {}
h1 = net[0].register_forward_hook(lambda m, i, o: acts.update(a=o))
h2 = net[0].register_full_backward_hook(lambda m, gi, go: grads.update(g=go[0]))
net.eval()
for i in range(3):
    score = net(torch.randn(1, 1, 8, 8))[0].max()
    net.zero_grad()
    score.backward()
    w = grads['g'].mean((2, 3), keepdim=True)
    cam = torch.relu((w * acts['a']).sum(1))
h1.remove(); h2.remove()
