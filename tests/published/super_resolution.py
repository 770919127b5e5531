"""Super-resolution by sub-pixel convolution, with PSNR and a resumed checkpoint."""
import io
from math import log10

import torch
import torch.nn as nn
import torch.nn.init as init
import torch.optim as optim
from torch.utils.data import DataLoader, Subset, TensorDataset, random_split


class Net(nn.Module):
    def __init__(self, upscale_factor):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 8, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(8, 8, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(8, upscale_factor**2, (3, 3), (1, 1), "same")
        self.pixel_shuffle = nn.PixelShuffle(upscale_factor)
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv3.weight)

    def forward(self, x):
        return self.pixel_shuffle(self.conv3(self.relu(self.conv2(self.relu(self.conv1(x))))))


high = torch.rand(12, 1, 12, 12)
low = nn.functional.interpolate(high, scale_factor=0.5, mode="bicubic", align_corners=False,
                                antialias=True)
train, test = random_split(TensorDataset(low, high), [8, 4])
print(train.indices, len(Subset(train, [0, 1])))
loader, test_loader = DataLoader(train, 4, shuffle=True), DataLoader(test, 2)
model, criterion = Net(2), nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=0.01)
scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)


def epoch(number):
    epoch_loss = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        epoch_loss += loss.item()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        psnr = sum(10 * log10(1 / criterion(model(x), y).item()) for x, y in test_loader)
    scheduler.step(-psnr if number else 0.0)
    print(f"Epoch {number}: loss {epoch_loss / len(loader):.4f}, PSNR "
          f"{psnr / len(test_loader):.4f} dB, lr {optimizer.param_groups[0]['lr']:.4f}")


for number in range(3):
    epoch(number)
buffer = io.BytesIO()
torch.save({"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(), "rng": torch.get_rng_state()}, buffer)
for number in range(3, 5):
    epoch(number)
buffer.seek(0)
checkpoint = torch.load(buffer)
print(model.load_state_dict(checkpoint["model"]))
optimizer.load_state_dict(checkpoint["optimizer"])
scheduler.load_state_dict(checkpoint["scheduler"])
torch.set_rng_state(checkpoint["rng"])
for number in range(checkpoint["epoch"], 5):
    epoch(number)
