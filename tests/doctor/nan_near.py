"""A mask of -inf before a softmax is as it should be."""
import torch
from torch import nn

net = nn.Linear(4, 4)
x = torch.randn(2, 4)
mask = torch.tensor([False, False, True, False])
scores = net(x).masked_fill(mask, float("-inf"))
loss = -torch.log_softmax(scores, dim=1)[:, 0].mean()
loss.backward()
attention = nn.MultiheadAttention(4, 1)
out, _ = attention(net(x), x, x, attn_mask=torch.triu(torch.full((2, 2), float("-inf")), 1))
out.sum().backward()
