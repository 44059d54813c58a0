# Writes explained.json: PyTorch's own shares of elements that test_explain asks for. Each is one operator, called on
# the tensors that it read in the run, its gradient of one element times its input.
import json
import pathlib

import torch
import torch.nn.functional as F

import explained_model as source

m = source.model
x, ids = source.example_inputs
rows = []


def shares(name, of, index, kind, op, *inputs):
    leaves = [t.detach().clone().requires_grad_() for t in inputs]
    y = op(*leaves)
    y[index].backward()
    rows.append(
        {
            "op": name,
            "of": of,
            "index": list(index),
            "kind": kind,
            "number": y[index].item(),
            "shares": [(t.grad * t).flatten().tolist() for t in leaves],
        }
    )
    return y.detach()


def held(x, dims, eps, centres=True):
    """Normalised, its scale a number that does not depend on x."""
    own = x - x.mean(dims, keepdim=True) if centres else x
    return own * ((own * own).mean(dims, keepdim=True) + eps).rsqrt().detach()


def by_channel(t):
    return t.reshape(1, -1, 1, 1)


HELD = "exact, its scale held"

conv = shares("conv2d", 0, (0, 2, 0, 3), "exact", lambda t, b: F.conv2d(t, m.conv.weight, b, padding=1), x, m.conv.bias)
norm2d = shares(
    "batch_norm", 0, (0, 1, 3, 2), "exact",
    lambda t, b: F.batch_norm(t, m.norm2d.running_mean, m.norm2d.running_var, m.norm2d.weight, b), conv, m.norm2d.bias,
)
relu = torch.relu(norm2d)
pool = shares("max_pool2d", 0, (0, 2, 1, 1), "the very element", lambda t: F.max_pool2d(t, 2), relu)
fc = shares("linear", 0, (0, 5), "exact", lambda t, b: F.linear(t, m.fc.weight, b), pool.flatten(1), m.fc.bias)
y = shares("layer_norm", 0, (0, 4), HELD, lambda t, b: held(t, -1, 1e-5) * m.norm.weight + b, fc, m.norm.bias)
assert torch.allclose(y, F.layer_norm(fc, (8,), m.norm.weight, m.norm.bias), atol=1e-6)
three = source.filled(3)
scaled = [
    shares("batch_norm", 1, (0, 2, 1, 1), HELD, lambda t, b: held(t, (0, 2, 3), 1e-5) * by_channel(three) + by_channel(b), pool, three),
    shares("group_norm", 0, (0, 2, 1, 0), HELD, lambda t, b: held(t, (1, 2, 3), 1e-5) * by_channel(three) + by_channel(b), pool, three),
    shares("instance_norm", 0, (0, 1, 2, 2), HELD, lambda t: held(t, (2, 3), 1e-5) * by_channel(three), pool),
]
assert torch.allclose(scaled[0], F.batch_norm(pool, None, None, three, three, training=True), atol=1e-6)
assert torch.allclose(scaled[1], F.group_norm(pool, 1, three, three), atol=1e-6)
assert torch.allclose(scaled[2], F.instance_norm(pool, weight=three), atol=1e-6)
unit = shares("rms_norm", 0, (0, 3), HELD, lambda t: held(t, -1, torch.finfo(torch.float32).eps, False) * source.filled(8), y)
assert torch.allclose(unit, F.rms_norm(y, (8,), source.filled(8)), atol=1e-6)
words = shares("embedding", 0, (0, 2, 5), "the very element", lambda t: F.embedding(ids, t), m.table.weight)
scores = shares("softmax", 0, (0, 1, 2), "by derivative", lambda t: torch.softmax(t, -1), words @ words.transpose(1, 2) / 8**0.5)
seen = shares("matmul", 1, (0, 3, 6), "exact", lambda t: scores @ t, words)
fused = shares(
    "scaled_dot_product_attention", 0, (0, 2, 1), "exact", lambda v: F.scaled_dot_product_attention(words, seen, v), words
)
both = shares("cat", 0, (0, 6, 3), "the very element", lambda a, b: torch.cat([a, b], 1), seen, fused)
first = shares("index", 0, (0, 1, 7), "the very element", lambda t: t[:, torch.tensor([0, 3])], both)
gate = torch.sigmoid(y) * y
last = gate + unit + sum(each.mean() for each in scaled) + both[:, 1:5, ::2].sum((1, 2)).unsqueeze(1) + first.mean()
shares("log_softmax", 0, (0, 6), "by derivative", lambda t: F.log_softmax(t, -1), last)
pathlib.Path(__file__).with_name("explained.json").write_text(json.dumps(rows, indent=0) + "\n")
