"""Names that say nothing, and names that say both."""
import torch
from torch import nn

net = nn.Linear(6, 4)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    anchor, negative = torch.randn(16, 6), torch.randn(16, 6)
    positive = anchor + 0.05 * torch.randn(16, 6)
    a, b, c = net(anchor), net(positive), net(negative)
    loss = nn.functional.triplet_margin_loss(a, b, c)
    loss = loss + nn.functional.triplet_margin_loss(net(anchor), net(positive), net(negative))
    far = negative + positive
    loss = loss + nn.functional.triplet_margin_loss(c, net(negative), net(far - negative))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
