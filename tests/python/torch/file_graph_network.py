"""Message passing on small graphs with scatter: GCN, attention over edges, pooling of a batch of graphs, a link predictor."""
from dataclasses import dataclass
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Graph:
    x: torch.Tensor
    edges: torch.Tensor  # [2, E]
    y: int
    batch: Optional[torch.Tensor] = None

    @property
    def num_nodes(self) -> int:
        return self.x.size(0)

    def with_loops(self) -> 'Graph':
        loops = torch.arange(self.num_nodes).repeat(2, 1)
        return Graph(self.x, torch.cat([self.edges, loops], dim=1), self.y, self.batch)


def collate(graphs: List[Graph]) -> Graph:
    offset, edges, batch = 0, [], []
    for number, g in enumerate(graphs):
        edges.append(g.edges + offset)
        batch.append(torch.full((g.num_nodes,), number, dtype=torch.long))
        offset += g.num_nodes
    return Graph(torch.cat([g.x for g in graphs]), torch.cat(edges, 1), torch.tensor([g.y for g in graphs]), torch.cat(batch))


def scatter_softmax(scores, index, count):
    top = torch.full((count, *scores.shape[1:]), -torch.inf).scatter_reduce(0, index.unsqueeze(-1).expand_as(scores), scores, reduce='amax', include_self=True)
    e = (scores - top[index]).exp()
    total = torch.zeros_like(top).index_add(0, index, e)
    return e / (total[index] + 1e-16)


class GCN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.linear = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, edges):
        source, target = edges
        degree = torch.bincount(target, minlength=x.size(0)).to(x.dtype).clamp(min=1)
        weight = (degree[source] * degree[target]).rsqrt()
        messages = self.linear(x)[source] * weight[:, None]
        return torch.zeros(x.size(0), messages.size(1)).index_add_(0, target, messages) + self.bias


class GAT(nn.Module):
    def __init__(self, i, o, heads=2):
        super().__init__()
        assert o % heads == 0
        self.heads, self.size = heads, o // heads
        self.linear = nn.Linear(i, o, bias=False)
        self.attend = nn.ParameterDict({side: nn.Parameter(torch.empty(1, heads, o // heads)) for side in ('source', 'target')})
        for p in self.attend.values():
            nn.init.xavier_normal_(p)

    def forward(self, x, edges):
        source, target = edges.unbind(0)
        h = self.linear(x).unflatten(-1, (self.heads, self.size))
        score = (h * self.attend['source']).sum(-1)[source] + (h * self.attend['target']).sum(-1)[target]
        weights = scatter_softmax(F.leaky_relu(score, 0.2), target, x.size(0))
        out = torch.zeros_like(h)
        out.scatter_add_(0, target[:, None, None].expand(-1, self.heads, self.size), h[source] * weights.unsqueeze(-1))
        self.weights = weights.detach()
        return out.flatten(1)


class Pool(nn.Module):
    def __init__(self, *kinds):
        super().__init__()
        self.kinds = kinds

    def forward(self, x, batch):
        count = int(batch.max()) + 1
        index = batch[:, None].expand_as(x)
        parts = []
        for kind in self.kinds:
            match kind:
                case 'sum':
                    parts.append(x.new_zeros(count, x.size(1)).scatter_add(0, index, x))
                case 'mean' | 'amax' | 'amin':
                    parts.append(x.new_zeros(count, x.size(1)).scatter_reduce(0, index, x, reduce=kind, include_self=False))
                case _:
                    raise ValueError(f'unknown pooling {kind!r}')
        return torch.cat(parts, dim=1)

    def extra_repr(self):
        return ', '.join(self.kinds)


class Net(nn.Module):
    def __init__(self, features, hidden=8, classes=3):
        super().__init__()
        self.layers = nn.ModuleDict({'gcn': GCN(features, hidden), 'gat': GAT(hidden, hidden), 'last': GCN(hidden, hidden)})
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in self.layers)
        self.pool = Pool('mean', 'amax', 'sum')
        self.head = nn.Sequential(nn.Linear(3 * hidden, hidden), nn.ELU(), nn.Dropout(0.1), nn.Linear(hidden, classes))

    def embed(self, g: Graph):
        h = g.x
        for (name, layer), norm in zip(self.layers.items(), self.norms):
            new = norm(layer(h, g.edges))
            h = F.elu(new) + (h if h.shape == new.shape else 0)
        return h

    def forward(self, g: Graph):
        return self.head(self.pool(self.embed(g), g.batch))


def ring(n) -> List[Tuple[int, int]]:
    return [(i, (i + 1) % n) for i in range(n)]


def star(n):
    return [(0, i) for i in range(1, n)]


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def make_graph(kind: int, n: int, generator) -> Graph:
    pairs = (ring, star, chain)[kind](n)
    edges = torch.tensor(pairs + [(b, a) for a, b in pairs]).t().contiguous()
    degree = torch.zeros(n).index_add_(0, edges[0], torch.ones(edges.size(1)))
    noise = torch.randn(n, 2, generator=generator) * 0.1
    return Graph(torch.cat([degree[:, None] / 4, noise], 1), edges, kind)


torch.manual_seed(5)
generator = torch.Generator().manual_seed(1)
graphs = [make_graph(i % 3, 4 + i % 5, generator).with_loops() for i in range(30)]
print(graphs[0], sum(g.num_nodes for g in graphs), [g.edges.size(1) for g in graphs[:5]])
net = Net(3)
print(net)
optimizer = torch.optim.Adamax(net.parameters(), lr=0.02, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, epochs=4, steps_per_epoch=3, pct_start=0.4, anneal_strategy='linear')
for epoch in range(4):
    order = torch.randperm(len(graphs), generator=generator).tolist()
    correct, total = 0, 0.0
    for start in range(0, len(order), 10):
        batch = collate([graphs[i] for i in order[start:start + 10]])
        optimizer.zero_grad()
        logits = net(batch)
        loss = F.cross_entropy(logits, batch.y, weight=torch.tensor([1.0, 2.0, 1.0]))
        loss.backward()
        optimizer.step()
        scheduler.step()
        correct += (logits.argmax(1) == batch.y).sum().item()
        total += loss.item()
    print(f'{epoch} loss {total / 3:.4f} correct {correct}/30 lr {optimizer.param_groups[0]["lr"]:.5f} beta {optimizer.param_groups[0]["betas"][0]:.4f}')
net.eval()
with torch.no_grad():
    whole = collate(graphs)
    weights = net(whole).softmax(-1), net.layers['gat'].weights
    sums = torch.zeros(whole.num_nodes, 2).index_add_(0, whole.edges[1], weights[1])
    print(weights[0].shape, torch.allclose(sums, torch.ones_like(sums)), weights[1].amin() >= 0)
    z = net.embed(whole)
    positive = (z[whole.edges[0]] * z[whole.edges[1]]).sum(-1)
    negative = (z[torch.randint(whole.num_nodes, (50,), generator=generator)] * z[torch.randint(whole.num_nodes, (50,), generator=generator)]).sum(-1)
    print('%.3f %.3f' % (positive.sigmoid().mean(), negative.sigmoid().mean()), torch.corrcoef(z.T).shape)
    adjacency = torch.sparse_coo_tensor(graphs[0].edges, torch.ones(graphs[0].edges.size(1)), (4, 4))
    print(adjacency.coalesce().to_dense(), (adjacency.to_dense() @ graphs[0].x)[:, 0])
try:
    Pool('median')(z, whole.batch)
except ValueError as e:
    print(e)
