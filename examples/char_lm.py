"""Learns to write, letter by letter, from eight chapters of Pride and Prejudice.

python examples/char_lm.py                 under PyTorch
retrograd run examples/char_lm.py          under retrograd: the same numbers

A network after Bengio et al., "A Neural Probabilistic Language Model" (2003), on letters instead
of words: the embeddings of the last CONTEXT letters, a hidden layer, scores of the next letter.
"""

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
CONTEXT, EMBEDDING, HIDDEN, BATCH, STEPS = 12, 16, 200, 64, 4000


class LetterModel(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embed = nn.Embedding(letters, EMBEDDING)
        self.hidden = nn.Linear(CONTEXT * EMBEDDING, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN)
        self.score = nn.Linear(HIDDEN, letters)

    def forward(self, context):
        seen = self.embed(context).flatten(1)  # (B, CONTEXT) -> (B, CONTEXT * EMBEDDING)
        return self.score(torch.tanh(self.norm(self.hidden(seen))))  # -> (B, letters)


def read_text():
    """The text's letters as numbers, and the letter of each number."""
    with open(os.path.join(FOLDER, "pride_and_prejudice.txt"), encoding="utf-8") as file:
        text = file.read()
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    return torch.tensor([number[letter] for letter in text]), letters


def write(model, letters, context, length):
    """Draw `length` letters, each from the model's distribution after the ones before it."""
    text = ""
    with torch.no_grad():
        for _ in range(length):
            scores = model(context.unsqueeze(0))
            letter = torch.multinomial(F.softmax(scores, dim=1), 1)[0]
            context = torch.cat([context[1:], letter])
            text += letters[letter.item()]
    return text


def main(steps=STEPS):
    """Train for `steps`; return the loss of each."""
    torch.manual_seed(0)
    text, letters = read_text()
    model = LetterModel(len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    window = torch.arange(CONTEXT)

    losses = []
    start = time.perf_counter()
    for step in tqdm(range(steps), desc="char_lm", unit="step"):
        place = torch.randint(0, len(text) - CONTEXT, (BATCH,))
        context = text[place.unsqueeze(1) + window]  # (B, CONTEXT)
        loss = F.cross_entropy(model(context), text[place + CONTEXT])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 1000 == 999:
            print(f"step {step + 1}: loss {sum(losses[-1000:]) / 1000:.3f}")
    if steps == STEPS:
        print(f"{steps} steps in {time.perf_counter() - start:.1f} s")
        print(write(model, letters, text[:CONTEXT], 300))
    return losses


if __name__ == "__main__":
    main()
