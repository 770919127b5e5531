"""An image optimised by L-BFGS to a content and a style; a teacher distilled into a student."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, feature):
        super().__init__()
        self.target = gram_matrix(feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


cnn = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 6, 3), nn.AvgPool2d(2))
content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
model, losses = nn.Sequential(), []
for i, layer in enumerate(cnn.children()):
    model.add_module(f"layer_{i}", layer)
    if isinstance(layer, nn.Conv2d):
        losses.append((1.0, ContentLoss(model(content))))
        losses.append((100.0, StyleLoss(model(style))))
        model.add_module(f"content_{i}", losses[-2][1])
        model.add_module(f"style_{i}", losses[-1][1])
image = content.clone().requires_grad_(True)
model.eval().requires_grad_(False)
optimizer = optim.LBFGS([image], max_iter=4, line_search_fn="strong_wolfe")
for step in range(3):
    def closure():
        with torch.no_grad():
            image.clamp_(0, 1)
        optimizer.zero_grad()
        model(image)
        total = sum(weight * module.loss for weight, module in losses)
        total.backward()
        return total

    print(f"run {step}: {optimizer.step(closure).item():.6f}")

teacher = nn.Sequential(nn.Linear(5, 32), nn.Hardswish(), nn.Linear(32, 3))
student = nn.Sequential(nn.Linear(5, 4), nn.ELU(), nn.Linear(4, 3))
optimizer = optim.Adagrad(student.parameters(), lr=0.1)
x, labels, T = torch.randn(32, 5), torch.randint(3, (32,)), 2.0
for epoch in range(4):
    with torch.no_grad():
        soft = teacher(x)
    logits = student(x)
    targets = F.softmax(soft / T, dim=-1)
    soft_loss = torch.sum(targets * (targets.log() - F.log_softmax(logits / T, dim=-1)))
    kl = F.kl_div(F.log_softmax(logits / T, -1), targets, reduction="batchmean") * T**2
    loss = 0.25 * soft_loss / x.size(0) * T**2 + 0.75 * F.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{epoch}: {loss.item():.4f} {kl.item():.4f}")
