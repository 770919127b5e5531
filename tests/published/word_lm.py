"""A word-level language model with recurrent networks of each kind, truncated and clipped."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RNNModel(nn.Module):
    def __init__(self, rnn_type, ntoken, ninp, nhid, nlayers, dropout=0.2, tie_weights=False):
        super().__init__()
        self.ntoken, self.rnn_type, self.nhid, self.nlayers = ntoken, rnn_type, nhid, nlayers
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        if rnn_type in ["LSTM", "GRU"]:
            self.rnn = getattr(nn, rnn_type)(ninp, nhid, nlayers, dropout=dropout)
        else:
            nonlinearity = {"RNN_TANH": "tanh", "RNN_RELU": "relu"}[rnn_type]
            self.rnn = nn.RNN(ninp, nhid, nlayers, nonlinearity=nonlinearity, dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        if tie_weights:
            self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, input, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(input)), hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.ntoken)
        return F.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        zeros = weight.new_zeros(self.nlayers, bsz, self.nhid)
        return (zeros, zeros.clone()) if self.rnn_type == "LSTM" else zeros


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    return data.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous()


text = "the cat sat on the mat and the dog sat on the cat while the mat lay on the floor " * 8
words = text.split()
idx = {w: i for i, w in enumerate(sorted(set(words)))}
data = batchify(torch.tensor([idx[w] for w in words]), 4)
for kind in ("RNN_TANH", "RNN_RELU", "LSTM", "GRU"):
    torch.manual_seed(1111)
    model = RNNModel(kind, len(idx), 16, 16, 2, tie_weights=True)
    criterion, lr = nn.NLLLoss(), 5.0
    hidden = model.init_hidden(4)
    for epoch in range(2):
        total = 0.0
        model.train()
        for i in range(0, data.size(0) - 1, 7):
            length = min(7, len(data) - 1 - i)
            model.zero_grad()
            hidden = repackage_hidden(hidden)
            output, hidden = model(data[i:i + length], hidden)
            loss = criterion(output, data[i + 1:i + 1 + length].view(-1))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-lr)
            total += loss.item()
            hidden = model.init_hidden(4) if length < 7 else hidden
        print(f"{kind} | epoch {epoch} | loss {total / 6:5.2f} | ppl {math.exp(total / 6):8.2f}")
    model.eval()
    with torch.no_grad():
        hidden, word = model.init_hidden(1), torch.tensor([[idx["the"]]])
        said = []
        for _ in range(6):
            output, hidden = model(word, hidden)
            word.fill_(torch.multinomial(output.squeeze().div(1.0).exp().cpu(), 1)[0])
            said.append(sorted(idx)[word.item()])
        print(" ".join(said))
