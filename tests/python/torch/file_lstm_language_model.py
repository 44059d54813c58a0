"""A word-level LSTM language model, trained on a short text, saved as a whole module, loaded and sampled."""
import argparse
import math
import os
import random
import tempfile
from collections import Counter
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

TEXT = """the quick brown fox jumps over the lazy dog . the dog sleeps in the sun while the fox runs through the field .
a small bird sings in the tree and the cat watches the bird from the wall . the sun goes down and the dog wakes up .
the cat jumps from the wall and the bird flies over the field . the fox sleeps while the bird sings in the sun ."""


class Vocabulary:
    PAD, UNKNOWN = '<pad>', '<unk>'

    def __init__(self, text: str, min_count: int = 1) -> None:
        counts = Counter(text.split())
        words = sorted((w for w, c in counts.items() if c >= min_count), key=lambda w: (-counts[w], w))
        self.words: List[str] = [self.PAD, self.UNKNOWN, *words]
        self.index: Dict[str, int] = {w: i for i, w in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, text: str) -> Tensor:
        unknown = self.index[self.UNKNOWN]
        return torch.tensor([self.index.get(w, unknown) for w in text.split()], dtype=torch.long)

    def decode(self, ids) -> str:
        return ' '.join(self.words[int(i)] for i in ids)


class Windows(Dataset):
    def __init__(self, tokens: Tensor, length: int):
        self.tokens, self.length = tokens, length

    def __len__(self):
        return (len(self.tokens) - 1) // self.length

    def __getitem__(self, i: int) -> Tuple[Tensor, Tensor]:
        start = i * self.length
        chunk = self.tokens[start:start + self.length + 1]
        return chunk[:-1], chunk[1:]


@dataclass
class Settings:
    vocabulary: int
    embedding: int = 16
    hidden: int = 24
    layers: int = 2
    dropout: float = 0.2
    tied: bool = False


class LockedDropout(nn.Module):
    """The same mask for all steps."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        mask = x.new_empty(x.size(0), 1, x.size(2)).bernoulli_(1 - self.p).div_(1 - self.p)
        return x * mask

    def extra_repr(self):
        return f'p={self.p}'


class LanguageModel(nn.Module):
    def __init__(self, settings: Settings, words: Optional[Vocabulary] = None):
        super().__init__()
        self.settings = settings
        self.words = words
        self.embed = nn.Embedding(settings.vocabulary, settings.embedding, padding_idx=0)
        self.drop = LockedDropout(settings.dropout)
        self.lstm = nn.LSTM(settings.embedding, settings.hidden, settings.layers, batch_first=True, dropout=settings.dropout)
        self.head = nn.Linear(settings.hidden, settings.vocabulary)
        self.apply(self._init)
        for name, p in self.lstm.named_parameters():
            if 'bias' in name:
                nn.init.zeros_(p)
                n = p.size(0)
                with torch.no_grad():
                    p[n // 4:n // 2].fill_(1.0)

    @staticmethod
    def _init(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, 0.0, 0.1)

    def forward(self, x: Tensor, state=None):
        h, state = self.lstm(self.drop(self.embed(x)), state)
        return self.head(self.drop(h)), state

    @torch.no_grad()
    def sample(self, prompt: str, count: int, temperature: float = 1.0, top_k: Optional[int] = None) -> str:
        was_training = self.training
        self.eval()
        ids = self.words.encode(prompt)
        logits, state = self(ids.unsqueeze(0))
        out = ids.tolist()
        for _ in range(count):
            scores = logits[0, -1] / temperature
            if top_k is not None:
                kept, _ = torch.topk(scores, top_k)
                scores = scores.masked_fill(scores < kept[-1], float('-inf'))
            choice = torch.multinomial(F.softmax(scores, dim=-1), 1)
            out.append(choice.item())
            logits, state = self(choice.view(1, 1), state)
        self.train(was_training)
        return self.words.decode(out)


def repackage(state):
    return tuple(s.detach() for s in state)


def train(model: LanguageModel, loader: DataLoader, epochs: int, clip: float) -> Iterator[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        total, count, state = 0.0, 0, None
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            logits, state = model(x, state)
            state = repackage(state)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten(), label_smoothing=0.05)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
        scheduler.step()
        print(f'epoch {epoch:2d}  loss {total / count:.4f}  ppl {math.exp(total / count):8.3f}  norm {norm:.4f}  lr {scheduler.get_last_lr()[0]:.5f}')
        yield total / count


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--epochs', type=int, default=6)
    parser.add_argument('--length', type=int, default=8)
    parser.add_argument('--clip', type=float, default=0.5)
    parser.add_argument('--seed', type=int, default=7)
    parser.add_argument('--cuda', action='store_true')
    args = parser.parse_args([])
    print(args)
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    words = Vocabulary(TEXT)
    tokens = words.encode(TEXT)
    print(len(words), len(tokens), words.words[:6], tokens[:8])
    loader = DataLoader(Windows(tokens, args.length), batch_size=3, shuffle=False, drop_last=True)
    model = LanguageModel(Settings(len(words)), words)
    print(model, sum(p.numel() for p in model.parameters()))
    losses = list(train(model, loader, args.epochs, args.clip))
    print(all(a > b for a, b in zip(losses, losses[1:])), ['%.3f' % v for v in losses])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model.pt')
        torch.save(model, path)
        loaded = torch.load(path)
        print(type(loaded).__name__, loaded.settings, len(loaded.words), os.listdir(folder))
    same = all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), loaded.state_dict().values()))
    print(same, loaded.training)
    torch.manual_seed(3)
    first = model.sample('the', 6, top_k=3)
    torch.manual_seed(3)
    print(first == loaded.sample('the', 6, top_k=3), len(first.split()))
    loaded.eval()
    with torch.inference_mode():
        logits, (h, c) = loaded(tokens[None, :10])
    print(logits.shape, h.shape, c.shape, logits.mean(), logits.std(), h[0, 0, :4])
    print(torch.autograd.grad(model.eval()(tokens[None, :5])[0].logsumexp(-1).sum(), [model.head.bias])[0][:5])


if __name__ == '__main__':
    main()
