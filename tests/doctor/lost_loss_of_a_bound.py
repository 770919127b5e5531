import torch

w = torch.tensor([0.5, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(10):
    loss = ((w - 3) ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        w.clamp(0, 1)
