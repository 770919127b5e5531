"""A small GPT, trained letter by letter on eight chapters of Pride and Prejudice.

python examples/gpt.py                     under PyTorch
retrograd run examples/gpt.py              under retrograd: the same numbers

Attention after Vaswani et al., "Attention Is All You Need" (2017); layer norms before each block
as in Radford et al., "Language Models are Unsupervised Multitask Learners" (2019).
"""

import argparse
import os
import time

import torch
import torch.nn.functional as F
from torch import nn

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(items, **options):
        return items


FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
LAYERS, HEADS, WIDTH, CONTEXT, BATCH, STEPS = 2, 4, 64, 32, 16, 800


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("past", torch.ones(CONTEXT, CONTEXT).tril().bool())

    def forward(self, x):
        batch, length, _ = x.shape
        # (B, T, C) -> three of (B, H, T, C / H)
        q, k, v = (
            part.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.qkv(x).split(WIDTH, dim=2)
        )
        scores = q @ k.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5  # (B, H, T, T)
        scores = scores.masked_fill(~self.past[:length, :length], float("-inf"))
        mixed = F.softmax(scores, dim=-1) @ v  # (B, H, T, C / H)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embed = nn.Embedding(letters, WIDTH)
        self.place = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.score = nn.Linear(WIDTH, letters, bias=False)
        self.apply(self.start)
        self.score.weight = self.embed.weight  # one table reads and writes letters

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, letters):
        x = self.embed(letters) + self.place(torch.arange(letters.shape[1]))  # (B, T, C)
        return self.score(self.norm(self.blocks(x)))  # (B, T, letters)


def read_text():
    """The text's letters as numbers, and the letter of each number."""
    with open(os.path.join(FOLDER, "pride_and_prejudice.txt"), encoding="utf-8") as file:
        text = file.read()
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    return torch.tensor([number[letter] for letter in text]), letters


@torch.no_grad()
def write(model, letters, seen, length):
    """Draw `length` letters, each from the model's distribution after the ones before it."""
    for _ in range(length):
        scores = model(seen[-CONTEXT:].unsqueeze(0))[0, -1]
        seen = torch.cat([seen, torch.multinomial(F.softmax(scores, dim=0), 1)])
    return "".join(letters[i] for i in seen.tolist())


def main(steps=STEPS):
    """Train for `steps`; return the loss of each."""
    torch.manual_seed(0)
    text, letters = read_text()
    model = GPT(len(letters))
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=STEPS)
    window = torch.arange(CONTEXT + 1)

    losses = []
    start = time.perf_counter()
    for step in tqdm(range(steps), desc="gpt", unit="step"):
        place = torch.randint(0, len(text) - CONTEXT, (BATCH, 1))
        piece = text[place + window]  # (B, T + 1)
        scores = model(piece[:, :-1])
        loss = F.cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 200 == 199:
            print(f"step {step + 1}: loss {sum(losses[-200:]) / 200:.4f}")
    if steps == STEPS:
        print(f"{steps} steps in {time.perf_counter() - start:.1f} s")
        print(write(model, letters, text[:CONTEXT], 300))
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=STEPS)
    main(parser.parse_args().steps)
