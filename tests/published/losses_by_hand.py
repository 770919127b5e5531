"""Losses that papers define: focal, Lovasz, circle, ArcFace, GIoU, SSIM, soft DTW, Sinkhorn, MMD."""
import math

import torch
import torch.nn.functional as F


def focal(logits, t, gamma=2.0, alpha=0.25):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, t, reduction="none",
                                            pos_weight=torch.tensor(2.0))
    pt = p * t + (1 - p) * (1 - t)
    return ((alpha * t + (1 - alpha) * (1 - t)) * ce * (1 - pt) ** gamma).mean()


def lovasz_hinge(logits, y):
    errors, order = torch.sort(1.0 - logits * (2.0 * y - 1.0), dim=0, descending=True)
    truth = y[order.data]
    total = truth.sum()
    intersection = total - truth.float().cumsum(0)
    jaccard = 1.0 - intersection / (total + (1 - truth).float().cumsum(0))
    jaccard[1:len(y)] = jaccard[1:len(y)] - jaccard[0:-1]
    return torch.dot(F.relu(errors), jaccard)


def circle(sp, sn, m=0.25, gamma=64):
    ap = torch.clamp_min(-sp.detach() + 1 + m, min=0.0)
    an = torch.clamp_min(sn.detach() + m, min=0.0)
    return F.softplus(torch.logsumexp(gamma * an * (sn - m), 0)
                      + torch.logsumexp(-ap * (sp - 1 + m) * gamma, 0))


def arcface(e, w, y, s=16.0, m=0.3):
    cosine = F.linear(F.normalize(e), F.normalize(w))
    sine = torch.sqrt((1.0 - torch.pow(cosine, 2)).clamp(1e-7, 1))
    phi = cosine * math.cos(m) - sine * math.sin(m)
    phi = torch.where(cosine > math.cos(math.pi - m), phi, cosine - math.sin(math.pi - m) * m)
    one_hot = torch.zeros(cosine.size())
    one_hot.scatter_(1, y.view(-1, 1).long(), 1)
    return F.cross_entropy(s * (one_hot * phi + (1.0 - one_hot) * cosine), y)


def giou(a, b):
    def area(t):
        return (t[:, 2:] - t[:, :2]).prod(1)
    low, high = torch.max(a[:, :2], b[:, :2]), torch.min(a[:, 2:], b[:, 2:])
    both = (high - low).clamp(min=0).prod(1)
    union = area(a) + area(b) - both
    hull = (torch.max(a[:, 2:], b[:, 2:]) - torch.min(a[:, :2], b[:, :2])).prod(1)
    return (1 - both / union + (hull - union) / hull).mean()


def ssim(a, b):
    g = torch.exp(-(torch.arange(5.0) - 2) ** 2 / 2)
    window = (torch.outer(g, g) / g.sum() ** 2)[None, None]

    def blur(t):
        return F.conv2d(t, window, padding=2)
    ma, mb = blur(a), blur(b)
    va, vb, cov = blur(a * a) - ma**2, blur(b * b) - mb**2, blur(a * b) - ma * mb
    return (((2 * ma * mb + 1e-4) * (2 * cov + 9e-4))
            / ((ma**2 + mb**2 + 1e-4) * (va + vb + 9e-4))).mean()


def soft_dtw(d, gamma=1.0):
    r, far = {(-1, -1): torch.zeros(())}, torch.tensor(1e8)
    for i in range(d.shape[0]):
        for j in range(d.shape[1]):
            before = [r.get(k, far) for k in ((i - 1, j), (i, j - 1), (i - 1, j - 1))]
            r[i, j] = d[i, j] - gamma * torch.logsumexp(-torch.stack(before) / gamma, 0)
    return r[i, j]


def sinkhorn(cost, eps=1.0, turns=10):
    n, m = cost.shape
    g = torch.zeros(m)
    for _ in range(turns):
        f = -eps * torch.logsumexp((g[None] - cost) / eps - math.log(m), 1)
        g = -eps * torch.logsumexp((f[:, None] - cost) / eps - math.log(n), 0)
    return (torch.exp((f[:, None] + g[None] - cost) / eps) / cost.numel() * cost).sum()


def mmd(a, b):
    def kernel(u, v):
        return sum(torch.exp(-torch.cdist(u, v) ** 2 / s) for s in (0.5, 1.0, 2.0)).mean()
    return kernel(a, a) + kernel(b, b) - 2 * kernel(a, b)


torch.manual_seed(0)
z = torch.randn(12, 4, requires_grad=True)
w, y, image = torch.randn(3, 4), (torch.arange(12) % 2).float(), torch.rand(1, 1, 6, 8)


def boxes():
    return torch.cat([z[:, :2].abs(), z[:, :2].abs() + z[:, 2:].abs() + 0.1], 1)


LOSSES = {
    "focal": lambda: focal(z[:, 0], y),
    "lovasz": lambda: lovasz_hinge(z[:, 0], y),
    "circle": lambda: circle(torch.tanh(z[:, 0]), torch.tanh(z[:, 1])),
    "arcface": lambda: arcface(z, w, torch.arange(12) % 3),
    "giou": lambda: giou(boxes(), boxes().detach() + 0.1),
    "ssim": lambda: ssim(torch.sigmoid(z.view(1, 1, 6, 8)), image),
    "soft_dtw": lambda: soft_dtw(torch.cdist(z[:5], z[5:10]) ** 2),
    "sinkhorn": lambda: sinkhorn(torch.cdist(z, torch.ones(12, 4)) ** 2),
    "mmd": lambda: mmd(z, torch.zeros(12, 4) + 0.5),
    "triplet": lambda: F.triplet_margin_with_distance_loss(
        z[:4], z[4:8], z[8:], swap=True,
        distance_function=lambda a, b: 1 - F.cosine_similarity(a, b)),
    "multilabel": lambda: F.multilabel_margin_loss(z, torch.tensor([[0, 2, -1, -1]] * 12)),
}
for name, loss in LOSSES.items():
    value = loss()
    (g,) = torch.autograd.grad(value, z)
    print(f"{name} {value.item():.4f} {g.norm().item():.4f}")
