"""A variational autoencoder learns to draw handwritten digits; writes vae.png with what it draws.

python examples/vae.py                     under PyTorch
retrograd run examples/vae.py              under retrograd: the same numbers, the same picture

Kingma and Welling, "Auto-Encoding Variational Bayes" (2013). The picture needs matplotlib.
"""

import argparse
import gzip
import os
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(items, **options):
        return items


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.csv.gz")
LATENT, HIDDEN, EPOCHS = 6, 128, 40


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2 * LATENT)
        )
        self.decoder = nn.Sequential(nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 64))

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * torch.exp(log_variance / 2)  # differentiable draw
        return self.decoder(z), mean, log_variance


def negative_elbo(pixels, x, mean, log_variance):
    """-E[log p(x | z)] + KL(q(z | x) || N(0, 1)), a mean over the batch."""
    reconstruction = F.binary_cross_entropy_with_logits(pixels, x, reduction="sum")
    kl = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()
    return (reconstruction + kl) / len(x)


def read_images():
    """Images scaled to 0..1: (1797, 64)."""
    with gzip.open(DATA, "rt") as file:
        return torch.tensor([[int(cell) for cell in line.split(",")[:-1]] for line in file]) / 16


def draw(images, path):
    """Rows of images into a picture: digits, their reconstructions, and new ones."""
    try:
        from matplotlib import pyplot
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    figure, axes = pyplot.subplots(len(images), figsize=(8, 5), height_ratios=[1, 1, 3])
    for axis, (title, pictures) in zip(axes, images, strict=True):
        framed = F.pad(pictures.view(-1, 12, 8, 8), (1, 1, 1, 1))  # 12 a row
        sheet = framed.transpose(1, 2).reshape(-1, 120)  # (R, 12, 10, 10) -> (10 R, 120)
        axis.imshow(sheet.numpy(), cmap="gray_r", vmin=0, vmax=1)
        axis.set_title(title, loc="left", fontsize=10)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main(steps=None, picture=None):
    """Train; return the loss of each step. `steps` stops early."""
    torch.manual_seed(0)
    images = read_images()
    batches = DataLoader(images, batch_size=64, shuffle=True)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    losses = []
    start = time.perf_counter()
    for epoch in tqdm(range(EPOCHS), desc="vae", unit="epoch"):
        for x in batches:
            pixels, mean, log_variance = model(x)
            loss = negative_elbo(pixels, x, mean, log_variance)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) == steps:
                return losses
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {sum(losses[-len(batches) :]) / len(batches):.4f}")
    print(f"{len(losses)} steps in {time.perf_counter() - start:.1f} s")

    if picture:
        with torch.no_grad():
            again = torch.sigmoid(model(images[:12])[0])
            new = torch.sigmoid(model.decoder(torch.randn(36, LATENT)))
        names = ("digits", "as the network remembers them", "new digits, drawn from noise")
        draw(list(zip(names, (images[:12], again, new), strict=True)), picture)
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    parser.add_argument("--picture", default="vae.png")
    options = parser.parse_args()
    torch.set_default_dtype(torch.float64)  # so that rounding does not show in the last digits
    main(options.steps, options.picture)
