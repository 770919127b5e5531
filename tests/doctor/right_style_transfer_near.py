"""The image is what is trained, through a frozen network; LBFGS with a closure; clamping in place."""
import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(4, 4, 3))
for p in features.parameters():
    p.requires_grad = False
content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)


def gram(f):
    f = f.flatten(2)
    return f @ f.transpose(1, 2) / f.shape[-1]


wanted, texture = features(content), gram(features(style))
image = content.clone().requires_grad_(True)
optimizer = torch.optim.LBFGS([image], max_iter=3)
for step in range(3):
    def closure():
        with torch.no_grad():
            image.clamp_(0, 1)
        optimizer.zero_grad()
        f = features(image)
        loss = (f - wanted).pow(2).mean() + 10 * (gram(f) - texture).pow(2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
print(image.detach().clamp(0, 1).mean())
