# Nested tensors of the jagged layout: parts, arithmetic, products, reductions, gradients and what is refused.
import re

import torch
import torch.nested
import torch.nn.functional as F

torch.manual_seed(0)


def value(*shape, step=0.25):
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count, dtype=torch.float32) * 7 % 11) * step - 1).reshape(shape)


names = {}


def text(x):
    # The numbers of the ragged sizes are those of the process: j1, j2, ... in the order in which they are met.
    out = re.sub(r"<(\w+)( object at 0x[0-9a-f]+| object)>", r"<\1>", str(x))
    return re.sub(r"j\d+", lambda found: names.setdefault(found.group(), f"j{len(names) + 1}"), out)


def show(title, t):
    if isinstance(t, torch.Tensor) and t.is_nested:
        print(title, text(t.shape), text(t))
        print(t.values().detach())
    else:
        print(title, text(t))


def refused(title, function):
    try:
        function()
        print(title, "ran")
    except Exception as error:
        print(title, type(error).__name__, text(error))


a, b = value(2, 3), value(3, 3)
nt = torch.nested.nested_tensor([a, b], layout=torch.jagged, requires_grad=True)
show("nested", nt)
print(nt.is_nested, nt.layout, nt.dim(), nt.numel(), nt.is_leaf, nt.requires_grad, nt.dtype, a.is_nested)
print(text(nt.size()), nt.size(0), text(nt.size(1)), nt.size(2), nt.size(1) == nt.size(1), nt.size(1) == 3)
print(nt.offsets(), nt.lengths(), nt.is_contiguous())
for each in nt.unbind():
    print(each.detach())
print(nt[1].detach(), nt[-2].detach())
print(nt.to_padded_tensor(-1.0).detach())

# Element by element.
scale, row = value(3).requires_grad_(), value(2, 1, 3).requires_grad_()
y = (nt * scale + row).sin() * nt - nt.exp() / 2
show("pointwise", y)
y.sum().backward()
show("grad", nt.grad)
print(scale.grad, row.grad)
show("relu", F.relu(nt.detach()))
show("gelu", F.gelu(nt.detach()))
show("compare", nt.detach() > 0)
show("double", nt.detach().double())
show("clone", nt.clone())
show("zeros", torch.zeros_like(nt))

# Products and modules.
nt.grad = None
linear = torch.nn.Linear(3, 4)
norm = torch.nn.LayerNorm(4)
with torch.no_grad():
    linear.weight.copy_(value(4, 3))
    linear.bias.copy_(value(4))
h = norm(linear(nt))
show("layer", h)
(h * h * h).sum().backward()
show("grad", nt.grad)
print(linear.weight.grad)
show("matmul", nt.detach() @ value(3, 2))
show("batched", torch.bmm(nt.detach(), value(2, 3, 2)))
show("gram", torch.matmul(nt.detach().transpose(1, 2), nt.detach()))

# Shapes.
x = torch.nested.as_nested_tensor([value(2, 8), value(3, 8)], layout=torch.jagged)
show("unflatten", x.unflatten(-1, [2, 4]))
show("heads", x.unflatten(-1, [2, 4]).transpose(1, 2))
show("back", x.unflatten(-1, [2, 4]).transpose(1, 2).transpose(1, 2).flatten(-2))
show("view", x.view(2, x.size(1), 4, 2))
show("reshape", x.reshape(2, -1, 4, 2))
show("unsqueeze", x.unsqueeze(-1))
show("squeeze", x.unsqueeze(-1).squeeze(-1))
show("chunk", x.chunk(2, dim=-1)[1])
show("split", x.split([3, 5], dim=-1)[0])
show("narrow", x.narrow(2, 1, 2))
show("slice", x[..., 2:4])
show("select", x.select(2, 1))
show("cat", torch.cat([x, x * 2], dim=-1))
show("stack", torch.stack([x, x * 2], dim=-1))
show("permute", x.permute(0, 2, 1))

# Reductions and softmax.
for name in ("sum", "mean", "amax", "amin"):
    function = getattr(torch, name)
    show(name, function(x, dim=-1))
    show(name, function(x, dim=-1, keepdim=True))
    show(name, function(x, dim=1))
show("all", x.sum())
show("mean", x.mean())
show("batch and ragged", x.sum(dim=(0, 1)))
show("any", (x > 1).any(dim=-1))
show("softmax", torch.softmax(x, -1))
show("ragged softmax", torch.softmax(x, 1))

# Embedding, attention, dropout.
tokens = torch.nested.nested_tensor([[1, 2], [3, 0, 1]], layout=torch.jagged)
table = torch.nn.Embedding(4, 8)
with torch.no_grad():
    table.weight.copy_(value(4, 8))
q = table(tokens)
show("embedding", q)
heads = q.unflatten(-1, [2, 4]).transpose(1, 2)
out = F.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).flatten(-2)
show("attention", out.detach())
(out * out).sum().backward()
print(table.weight.grad)
show("dropout", F.dropout(x, 0.5, training=False))

# From parts.
v = value(6, 2).requires_grad_()
from_jagged = torch.nested.nested_tensor_from_jagged(v, torch.tensor([0, 2, 3, 6]))
show("from parts", from_jagged)
(from_jagged * 2).sum().backward()
print(v.grad)
holes = torch.nested.nested_tensor_from_jagged(v.detach(), torch.tensor([0, 2, 3, 6]), torch.tensor([1, 1, 2]))
show("holes", holes)
print(holes.lengths(), [each.tolist() for each in holes.unbind()])
narrowed = torch.nested.narrow(value(3, 4, 2), 1, torch.tensor([0, 1, 2]), torch.tensor([3, 2, 1]), layout=torch.jagged)
show("narrowed", narrowed)
print([each.tolist() for each in narrowed.unbind()])
show("whole", torch.nested.as_nested_tensor(value(2, 2, 3), layout=torch.jagged))
show("masked", torch.nested.masked_select(value(3, 3), value(3, 3) > 0))
gradient, = torch.autograd.grad((nt * nt).sum(), nt)
show("autograd.grad", gradient)

# What is refused.
other = torch.nested.nested_tensor([b, a], layout=torch.jagged)
refused("other sequences", lambda: nt + other)
refused("no broadcast", lambda: nt + value(4, 1, 3))
refused("ragged cat", lambda: torch.cat([x, x], dim=1))
refused("batch sum", lambda: x.sum(dim=0))
refused("ragged and dense", lambda: x.sum(dim=(1, 2)))
refused("batch softmax", lambda: torch.softmax(x, 0))
refused("view", lambda: x.view(2, 8, 4))
refused("padded holes", lambda: holes.to_padded_tensor(0.0))
refused("two ragged", lambda: torch.nested.nested_tensor([value(2, 3), value(3, 2)], layout=torch.jagged))
refused("empty", lambda: torch.nested.nested_tensor([], layout=torch.jagged))
refused("no offsets", lambda: torch.nested.nested_tensor_from_jagged(value(2, 2)))
refused("matmul", lambda: torch.matmul(nt, value(2, 3, 2, 2)))
refused("batch transpose", lambda: x.transpose(0, 1))

# Expanded, chosen between, written into, normalised over the sequences.
show("expand", x.unsqueeze(-1).expand(2, x.size(1), 8, 3))
show("expand same", x.expand(2, -1, 8))
show("broadcast_to", torch.broadcast_to(x, (2, x.size(1), 8)))
show("where", torch.where(x > 0, x, 0.0))
show("where nested", torch.where(x > 0, x, x * 2))
show("copy", torch.zeros_like(x).copy_(x))
same_lengths = torch.nested.nested_tensor([value(2, 8) + 1, value(3, 8) + 1], layout=torch.jagged)
show("copy of other offsets", torch.zeros_like(x).copy_(same_lengths))
show("index_put", x.clone().index_put_((torch.tensor([0, 1]), torch.tensor([1, 2])), torch.tensor([7.0])))
show("index_put rows", x.clone().index_put_((torch.tensor([1]),), torch.tensor([7.0])))
for each in x.chunk(2, dim=0):
    show("chunk of batch", each)
ragged = torch.nested.nested_tensor([value(2, 3), value(4, 3)], layout=torch.jagged)
normed = F.layer_norm(ragged, (ragged.size(1), 3))
show("norm over sequences", normed)
show("contiguous holes", holes.contiguous())
rows_of_heads = x.unflatten(-1, [2, 4])
show("attention within rows", F.scaled_dot_product_attention(rows_of_heads, rows_of_heads, rows_of_heads))

refused("std", lambda: torch.std(x))
refused("var", lambda: torch.var(x, dim=-1))
refused("norm", lambda: x.norm(dim=-1))
refused("cumsum", lambda: torch.cumsum(x, 1))
refused("sort", lambda: torch.sort(x))
refused("addcmul", lambda: torch.addcmul(x, x, x))
refused("expand", lambda: x.expand(2, 3, 8))
refused("expand rank", lambda: x.expand(3, 2, -1, 8))
refused("where", lambda: torch.where(x > 0, x, torch.nested.nested_tensor([value(3, 8), value(2, 8)], layout=torch.jagged)))
refused("copy", lambda: x.clone().copy_(torch.nested.nested_tensor([value(3, 8), value(2, 8)], layout=torch.jagged)))
refused("in place", lambda: nt.detach().clone().add_(other))
refused("norm shape", lambda: F.layer_norm(x, [3, 8]))
refused("norm batch", lambda: F.layer_norm(x, (2, x.size(1), 8)))
refused("rms_norm", lambda: F.rms_norm(x, (3, 8)))
refused("mask", lambda: F.scaled_dot_product_attention(heads, heads, heads, attn_mask=torch.zeros(2, 2)))
refused("mixed attention", lambda: F.scaled_dot_product_attention(heads, value(2, 2, 3, 4), heads))
refused("outside", lambda: x.clone().index_put_((torch.tensor([0]), torch.tensor([2])), torch.tensor([7.0])))
refused("tolist", lambda: x.tolist())
