import operator
import numpy as np
import torch
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp

graph = fx.Graph()
tracer = fx.proxy.GraphAppendingTracer(graph)
x = fx.Proxy(graph.placeholder('x', torch.Tensor), tracer)
w = fx.Proxy(graph.placeholder('w'), tracer)
size = torch.broadcast_tensors(x[..., :1], w[..., :1])[0].shape[:-1]
out = torch.relu(x * 2 + w).reshape(size + (3,))
graph.output(out.node, torch.Tensor)
module = fx.GraphModule({}, graph, 'made')
print([(n.op, n.name) for n in graph.nodes])
print(module(torch.tensor([[1.0, -2.0, 3.0]]), torch.ones(2, 3)))

graph = fx.Graph()
a = fx.Proxy(graph.placeholder('a'))
node = graph.call_module('deep.layer', (a.node,))
scale = graph.get_attr('scale')
graph.output(graph.call_function(operator.mul, (node, scale)))
torch.manual_seed(0)
module = fx.GraphModule({'deep.layer': nn.Linear(2, 2), 'scale': torch.tensor(3.0)}, graph)
print(module(torch.ones(1, 2)), list(module.state_dict()))
try:
    fx.GraphModule({}, graph)
except RuntimeError as error:
    print(error)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return torch.flatten(torch.relu(self.conv(x)), 1).sum(1)


traced = fx.symbolic_trace(Net())
ShapeProp(traced).propagate(torch.rand(2, 3, 8, 8))
for node in traced.graph.nodes:
    print(node.name, tuple(node.meta['tensor_meta'].shape), node.meta['tensor_meta'].dtype, node.meta['tensor_meta'].stride,
          node.meta['type'].__name__)

# forward behind a decorator
log = []


def logged(function):
    class Logged:
        def __init__(self, inner):
            self.inner = inner

        def __get__(self, owner, cls=None):
            return self if owner is None else lambda *args: log.append('called') or self.inner(owner, *args)
    return Logged(function)


class Decorated(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        """Doubles."""
        return x * 2


class Cast(nn.Module):
    @torch.autocast('cpu', enabled=False)
    def forward(self, x):
        return x + 1


class Described(nn.Module):
    @logged
    def forward(self, x):
        return x - 1


x = torch.ones(2, requires_grad=True)
print(Decorated()(x), Cast()(x), Described()(x), log)
print(Decorated.forward.__name__, Decorated.forward.__doc__, Decorated().forward.__wrapped__.__name__)

# numbers of numpy as sizes, int32 as indices, views of windows
print(nn.Linear(np.int64(3), np.prod((2, 2))), nn.Conv2d(np.int64(3), 4, (np.int64(3), 3)).weight.shape, nn.Dropout(np.float64(0.5)))
print(torch.zeros(np.int64(2), np.int32(1)).shape, torch.arange(6).view(np.int64(2), -1).shape, torch.ones(4).sum(np.int64(0)))
y = torch.arange(6.0)
print(y[torch.tensor([1, 4], dtype=torch.int32)])
y[torch.tensor([0, 1], dtype=torch.int32)] = -1.0
print(y)
try:
    y[torch.tensor([1], dtype=torch.int16)]
except IndexError as error:
    print(error)
print(np.lib.stride_tricks.sliding_window_view(np.arange(6), 3).tolist())
print(np.lib.stride_tricks.sliding_window_view(np.arange(12).reshape(3, 4), (2, 2)).shape,
      np.lib.stride_tricks.sliding_window_view(np.arange(12).reshape(3, 4), 2, axis=1)[1].tolist())
print(np.lib.stride_tricks.as_strided(np.arange(6), (2, 3), (8, 16)).tolist())
np.random.seed(0)
print(np.random.geometric(0.5, 6).tolist(), np.random.geometric(0.1, 4).tolist())

# the parts of a transformer's layers
torch.manual_seed(0)
encoder, decoder = nn.TransformerEncoderLayer(8, 2, 16).eval(), nn.TransformerDecoderLayer(8, 2, 16).eval()
x, memory = torch.rand(3, 1, 8), torch.rand(4, 1, 8)
for part in (encoder._sa_block(x, None, None), encoder._ff_block(x), decoder._sa_block(x, None, None),
             decoder._mha_block(x, memory, None, None), decoder._ff_block(x)):
    print([round(v, 3) for v in part.flatten()[:6].tolist()])
print(torch.ops.aten.add(x, 1).shape, torch.ops.aten.add.Tensor(x, x, alpha=2).sum().item() == (3 * x).sum().item(), torch.ops.aten.relu.default(-x).max())
