import torch
import torch.nn as nn
# Shared encoder
encoder = nn.Linear(10, 5)
x = torch.randn(4, 10)
features = encoder(x)
# Two task heads
head_a = nn.Linear(5, 2)
head_b = nn.Linear(5, 3)
out_a = head_a(features)
out_b = head_b(features)
# Two separate losses
loss_a = out_a.mean()
loss_b = out_b.mean()
# Must retain_graph for first backward because features is used by both
loss_a.backward(retain_graph=True)
loss_b.backward() # no retain needed for the last backward
print(f"encoder bias grad: {encoder.bias.grad}")
