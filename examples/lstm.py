"""An LSTM reads Pride and Prejudice in order, carrying what it remembers from piece to piece.

python examples/lstm.py                    under PyTorch
retrograd run examples/lstm.py             under retrograd: the same numbers

Truncated backpropagation through time: the state goes on to the next piece, but detached, so that
the graph ends where the piece began.
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
EMBEDDING, HIDDEN, LAYERS, BATCH, LENGTH, STEPS = 16, 96, 2, 16, 20, 400


class Reader(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embed = nn.Embedding(letters, EMBEDDING)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN, LAYERS, batch_first=True)
        self.score = nn.Linear(HIDDEN, letters)

    def forward(self, letters, state=None):
        seen, state = self.lstm(self.embed(letters), state)  # (B, T, HIDDEN)
        return self.score(seen), state


def read_text():
    """The text's letters as numbers, and the letter of each number."""
    with open(os.path.join(FOLDER, "pride_and_prejudice.txt"), encoding="utf-8") as file:
        text = file.read()
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    return torch.tensor([number[letter] for letter in text]), letters


@torch.no_grad()
def write(model, letters, start, length):
    """Draw `length` letters; the state remembers, so each step reads one letter only."""
    scores, state = model(start.unsqueeze(0))
    text = "".join(letters[i] for i in start.tolist())
    for _ in range(length):
        letter = torch.multinomial(F.softmax(scores[0, -1], dim=0), 1)
        text += letters[letter.item()]
        scores, state = model(letter.unsqueeze(0), state)
    return text


def main(steps=STEPS):
    """Train for `steps`; return the loss of each."""
    torch.manual_seed(0)
    text, letters = read_text()
    model = Reader(len(letters))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    columns = len(text) // BATCH
    rows = text[: BATCH * columns].view(BATCH, columns)  # BATCH readers, each with its own stretch

    losses, state, place = [], None, 0
    start = time.perf_counter()
    for step in tqdm(range(steps), desc="lstm", unit="step"):
        if place + LENGTH + 1 > columns:
            place, state = 0, None
        piece = rows[:, place : place + LENGTH + 1]
        place += LENGTH
        scores, state = model(piece[:, :-1], state)
        state = tuple(part.detach() for part in state)
        loss = F.cross_entropy(scores.transpose(1, 2), piece[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if step % 200 == 199:
            print(f"step {step + 1}: loss {sum(losses[-200:]) / 200:.4f}")
    if steps == STEPS:
        print(f"{steps} steps in {time.perf_counter() - start:.1f} s")
        print(write(model, letters, text[:20], 300))
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=STEPS)
    steps = parser.parse_args().steps
    torch.set_default_dtype(torch.float64)  # so that the drawn letters agree to the last
    main(steps)
