"""Sequence to sequence with additive attention, packed inputs, teacher forcing and beam search: reversing digits."""
import random
from dataclasses import dataclass, field
from operator import attrgetter
from typing import List, Tuple

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, BOS, EOS = 0, 1, 2
SYMBOLS = 9


class Encoder(nn.Module):
    def __init__(self, vocabulary, width, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.rnn = nn.GRU(width, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embed(x), lengths, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        out, sizes = pad_packed_sequence(out, batch_first=True)
        assert torch.equal(sizes, lengths)
        return out, torch.tanh(self.bridge(torch.cat([h[-2], h[-1]], dim=-1)))


class AdditiveAttention(nn.Module):
    def __init__(self, query, key, hidden):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(query, hidden, bias=False), nn.Linear(key, hidden), nn.Linear(hidden, 1, bias=False)

    def forward(self, query, keys, mask):
        scores = self.v(torch.tanh(self.q(query)[:, None] + self.k(keys))).squeeze(-1)
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        return torch.einsum('bt,btd->bd', weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, vocabulary, width, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.attention = AdditiveAttention(hidden, 2 * hidden, hidden)
        self.cell = nn.GRUCell(width + 2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden + width, vocabulary)

    def forward(self, token, h, keys, mask):
        e = self.embed(token)
        context, weights = self.attention(h, keys, mask)
        h = self.cell(torch.cat((e, context), -1), h)
        return self.out(torch.cat((e, context, h), -1)), h, weights


@dataclass(order=True)
class Beam:
    score: float
    tokens: List[int] = field(compare=False)
    h: torch.Tensor = field(compare=False, repr=False)

    @property
    def is_done(self):
        return self.tokens[-1] == EOS

    @property
    def normalised(self):
        return self.score / len(self.tokens) ** 0.7


class Seq2Seq(nn.Module):
    def __init__(self, vocabulary, width=12, hidden=20):
        super().__init__()
        self.encoder = Encoder(vocabulary, width, hidden)
        self.decoder = Decoder(vocabulary, width, hidden)

    def forward(self, x, lengths, y, forcing=1.0):
        keys, h = self.encoder(x, lengths)
        mask = torch.arange(x.size(1))[None] < lengths[:, None]
        token, outputs = y[:, 0], []
        for t in range(1, y.size(1)):
            logits, h, _ = self.decoder(token, h, keys, mask)
            outputs.append(logits)
            token = y[:, t] if random.random() < forcing else logits.argmax(-1)
        return torch.stack(outputs, 1)

    @torch.no_grad()
    def beam_search(self, x, beams=3, limit=10) -> Beam:
        keys, h = self.encoder(x[None], torch.tensor([len(x)]))
        mask = torch.ones(1, len(x), dtype=torch.bool)
        alive = [Beam(0.0, [BOS], h)]
        for _ in range(limit):
            grown = []
            for beam in alive:
                if beam.is_done:
                    grown.append(beam)
                    continue
                logits, h, _ = self.decoder(torch.tensor([beam.tokens[-1]]), beam.h, keys, mask)
                scores, tokens = logits.log_softmax(-1)[0].topk(beams)
                grown += [Beam(beam.score + s, [*beam.tokens, t], h) for s, t in zip(scores.tolist(), tokens.tolist())]
            alive = sorted(grown, key=attrgetter('normalised'), reverse=True)[:beams]
            if all(b.is_done for b in alive):
                break
        return alive[0]


def make_pair(rng: random.Random) -> Tuple[torch.Tensor, torch.Tensor]:
    digits = [rng.randint(3, 2 + SYMBOLS) for _ in range(rng.randint(2, 6))]
    return torch.tensor(digits), torch.tensor([BOS, *reversed(digits), EOS])


def collate(pairs):
    xs, ys = zip(*pairs)
    lengths = torch.as_tensor([len(x) for x in xs])
    return pad_sequence(xs, batch_first=True, padding_value=PAD), lengths, pad_sequence(ys, batch_first=True, padding_value=PAD)


torch.manual_seed(2)
random.seed(2)
rng = random.Random(9)
pairs = [make_pair(rng) for _ in range(48)]
print(pairs[0], collate(pairs[:3]))
loader = torch.utils.data.DataLoader(pairs, batch_size=12, shuffle=True, collate_fn=collate, generator=torch.Generator().manual_seed(1))
model = Seq2Seq(3 + SYMBOLS)
optimizer = optim.Adam(model.parameters(), lr=1e-2)
plateau = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0, threshold=0.2)
for epoch in range(5):
    model.train()
    total = correct = seen = 0
    for x, lengths, y in loader:
        logits = model(x, lengths, y, forcing=1.0 - epoch / 10)
        targets = y[:, 1:]
        loss = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0, norm_type=2)
        optimizer.step()
        real = targets != PAD
        total += loss.item() * real.sum().item()
        correct += (logits.argmax(-1) == targets)[real].sum().item()
        seen += int(real.sum())
    plateau.step(total / seen)
    print(f'epoch {epoch} loss {total / seen:.4f} accuracy {correct / seen:.4f} lr {optimizer.param_groups[0]["lr"]:g} bad {plateau.num_bad_epochs}')
model.eval()
for x, y in pairs[:2]:
    beam = model.beam_search(x)
    print(x.tolist(), beam.tokens, '%.4f' % beam.score, '%.4f' % beam.normalised)
x, lengths, y = collate(pairs[:2])
keys, h = model.encoder(x, lengths)
mask = torch.arange(x.size(1)) < lengths.unsqueeze(1)
logits, h2, weights = model.decoder(y[:, 0], h, keys, mask)
print(weights.sum(-1), weights.shape, (weights[~mask] == 0).all(), h2.norm().item() > 0, keys.shape)
print({n: round(p.grad.norm().item(), 4) for n, p in model.named_parameters() if p.grad is not None and 'embed' in n})
