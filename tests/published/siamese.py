"""Siamese networks: contrastive, triplet and cosine losses on pairs."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)      # rounding in float32 grows to what shows


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=2.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, label):
        distance = F.pairwise_distance(a, b, keepdim=True)
        return torch.mean((1 - label) * torch.pow(distance, 2)
                          + label * torch.pow(torch.clamp(self.margin - distance, min=0.0), 2))


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.BatchNorm2d(4),
            nn.ReflectionPad2d(1), nn.Conv2d(4, 4, 3), nn.ReLU(inplace=True), nn.BatchNorm2d(4),
            nn.Dropout2d(0.2), nn.AdaptiveMaxPool2d(3))
        self.fc = nn.Sequential(nn.Linear(36, 16), nn.PReLU(), nn.Linear(16, 5))

    def forward(self, x):
        return self.fc(self.cnn(x).flatten(1))


net = Tower()
images = torch.rand(12, 1, 8, 8)
label = torch.randint(0, 2, (6, 1)).float()
sign = 1 - 2 * label.squeeze(1)
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, momentum=0.5, centered=True)
losses = {
    "contrastive": lambda a, b: ContrastiveLoss()(a, b, label),
    "triplet": lambda a, b: nn.TripletMarginLoss(margin=1.0, swap=True)(a, b, b.roll(1, 0)),
    "cosine": lambda a, b: F.cosine_embedding_loss(a, b, sign, margin=0.1),
    "bce": lambda a, b: F.binary_cross_entropy_with_logits((a * b).sum(1), label.squeeze(1)),
    "ranking": lambda a, b: F.margin_ranking_loss(a.norm(dim=1), b.norm(dim=1), sign, margin=0.5),
    "distance": lambda a, b: nn.TripletMarginWithDistanceLoss(
        distance_function=lambda x, y: 1 - F.cosine_similarity(x, y))(a, b, a.flip(0)),
}
for name, loss_of in losses.items():
    for _ in range(4):
        optimizer.zero_grad()
        loss = loss_of(net(images[:6]), net(images[6:]))
        loss.backward()
        optimizer.step()
    print(f"{name}: {loss.item():.4f}")
net.eval()
with torch.no_grad():
    print(torch.cdist(net(images[:3]), net(images[6:9])))
torch.set_default_dtype(torch.float32)
