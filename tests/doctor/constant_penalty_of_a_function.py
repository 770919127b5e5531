import torch, numpy as np
from torch import nn
def iou_loss(pred, target):
    p, t = pred.sigmoid().data.numpy() > 0.5, target.numpy() > 0.5
    inter, union = np.logical_and(p, t).sum(), np.logical_or(p, t).sum()
    return torch.tensor(1.0 - inter / max(union, 1))
net = nn.Conv2d(1, 1, 3, padding=1); opt = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(5):
    x = torch.rand(2, 1, 6, 6); y = (x > 0.5).float()
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), y) + iou_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
