import torch
import torch.nn as nn
model = nn.Linear(10, 1)
x = torch.randn(32, 10)
y = torch.randn(32, 1)
# WRONG — retain_graph=True in a loop
for i in range(5):
    pred = model(x)
    loss = ((pred - y) ** 2).mean()
    loss.backward(retain_graph=True) # graph accumulates!
    print(f"Step {i}: loss={loss.item():.4f}, graph retained")
