# Nested tensors of the strided layout: parts, arithmetic, products, views, gradients and what is refused.
import torch
import torch.nested
import torch.nn.functional as F


def value(*shape, step=0.25):
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count, dtype=torch.float32) * 7 % 11) * step - 1).reshape(shape)


def refused(title, function):
    try:
        function()
        print(title, "ran")
    except Exception as error:
        print(title, type(error).__name__, str(error).split("backend")[0])


def parts(t):
    return [each.detach() for each in t.unbind()]


def show(title, t):
    print(title, t.dim(), t.is_contiguous(), [tuple(each.shape) for each in t.unbind()], t.dtype, t.requires_grad)
    print(parts(t))


a, b = value(2, 4), value(3, 4)
x = torch.nested.nested_tensor([a, b])
print(x)
print(torch.nested.nested_tensor([a, b], requires_grad=True))
print(torch.nested.nested_tensor([value(2), value(1)], requires_grad=True) * 2)
print(torch.nested.nested_tensor([a, b], dtype=torch.float64))
print(torch.nested.nested_tensor([[1, 2], [3]]), torch.nested.nested_tensor([torch.tensor(1.0), torch.tensor(2.0)]))
print(torch.nn.Parameter(x))
print(x.is_nested, x.layout, x.dim(), x.ndim, x.numel(), x.size(0), x.size(2), x.size(-1), x.is_leaf, x.dtype, x.is_contiguous(), x.nbytes)
print(x._nested_tensor_size(), x._nested_tensor_strides(), x._nested_tensor_storage_offsets(), x.values())
print(x[0], x[-1], x[0, 1])
print(x.to_padded_tensor(0.0))
print(x.to_padded_tensor(-1, (2, 4, 5)), torch.nested.to_padded_tensor(x, 2.0).shape)
show("two irregular", torch.nested.nested_tensor([value(2, 3), value(3, 2)]))
show("of a dense one", torch.nested.as_nested_tensor(value(2, 3, 4)))
show("narrowed", torch.nested.narrow(value(3, 2), 0, 1, 2))

# Element by element.
for name in ("sin", "cos", "relu", "tanh", "neg", "abs", "sqrt", "sgn", "logical_not", "isnan", "isinf"):
    show(name, getattr(torch, name)(x))
show("gelu", F.gelu(x))
show("silu", F.silu(x))
show("add", x + x)
show("add number", x + 1)
show("alpha", torch.add(x, x, alpha=2))
show("sub", x - x * 2)
show("mul tensor", x * torch.tensor(2.0))
show("div", x / 2)
show("eq", x == 0)
show("gt", x > 0)
show("ge", x >= 0)
show("masked", x.masked_fill(x > 0, 0))
show("in place", x.clone().add_(x).mul_(2).relu_())
show("fill", x.clone().fill_(2.0))
show("zeros", torch.zeros_like(x))
show("double", x.double())
show("dropout", F.dropout(x, 0.5, training=False))
print(x.is_same_size(x), x.is_same_size(torch.nested.nested_tensor([b, a])))

# Shapes.
t = x.transpose(1, 2)
show("transpose", t)
show("contiguous", t.contiguous())
show("added transposes", t + t.contiguous())
heads = x.view(2, -1, 2, 2)
show("view", heads)
show("back", heads.transpose(1, 2).transpose(1, 2).reshape(2, -1, 4))
show("unsqueeze", x.unsqueeze(1))
show("squeeze", x.unsqueeze(-1).squeeze(-1))
first, second = x.chunk(2, -1)
show("chunk", second)
show("chunks", first + second)
show("split", x.split([1, 3], -1)[1])
show("select", x.select(1, 1))
show("narrow", x.narrow(0, 1, 1))
show("cat", torch.cat([x, x], 0))
show("cat columns", torch.cat([x, x * 2], -1))
show("sum", x.sum(-1, keepdim=True))
show("all", torch.all(x > -2, 2))
show("softmax", torch.softmax(x, -1))
show("irregular softmax", torch.softmax(x, 1))
x.clone().unbind()[1].zero_()

# Products.
show("matmul", torch.matmul(x, x.transpose(1, 2)))
show("bmm", torch.bmm(x, value(2, 4, 3)))
show("heads", torch.matmul(heads, heads.transpose(2, 3)))
q = heads.transpose(1, 2).contiguous()
show("attention", F.scaled_dot_product_attention(q, q, q))
show("scaled", F.scaled_dot_product_attention(x, x, x, scale=0.3))
show("embedding", F.embedding(torch.nested.nested_tensor([torch.tensor([1, 2]), torch.tensor([0, 1, 2])]), value(4, 2)))

# Gradients.
linear, norm = torch.nn.Linear(4, 3), torch.nn.LayerNorm(3)
with torch.no_grad():
    linear.weight.copy_(value(3, 4))
    linear.bias.copy_(value(3))
n = torch.nested.nested_tensor([a, b], requires_grad=True)
y = norm(F.gelu(linear(n)) * 2)
show("layers", y)
(y.to_padded_tensor(0.0) ** 3).sum().backward()
show("grad", n.grad)
print(linear.weight.grad)
c, d = value(2, 2).requires_grad_(), value(1, 2).requires_grad_()
m = torch.nested.as_nested_tensor([c, d])
(m.transpose(1, 2).contiguous().to_padded_tensor(0.0) ** 2).sum().backward()
print(m.requires_grad, m.is_leaf, c.grad, d.grad)
n.grad = None
(n * n).backward(torch.ones_like(n))
show("backward of one", n.grad)
gradient, = torch.autograd.grad((n * n).to_padded_tensor(0.0).sum(), n)
show("autograd.grad", gradient)

# What is refused.
other = torch.nested.nested_tensor([b, a])
refused("size", lambda: x.size(1))
refused("sizes", lambda: x.shape)
refused("sizes", lambda: x.size())
refused("strides", lambda: x.stride())
refused("len", lambda: len(x))
refused("iteration", lambda: list(x))
refused("broadcast", lambda: x + other)
refused("dense", lambda: x + torch.ones(4))
refused("dense first", lambda: torch.ones(4) + x)
refused("eq nested", lambda: x == x)
refused("exp", lambda: torch.exp(x))
refused("sum of all", lambda: x.sum())
refused("mean", lambda: x.mean())
refused("sum over rows", lambda: x.sum(1))
refused("sum drops", lambda: x.sum(-1))
refused("sin of a view", lambda: t.sin())
refused("mul of views", lambda: t * t.contiguous())
refused("linear of a view", lambda: F.linear(t, torch.ones(2, 2)))
refused("linear width", lambda: F.linear(x, torch.ones(2, 3)))
refused("linear rank", lambda: F.linear(heads, torch.ones(2, 2)))
refused("norm shape", lambda: F.layer_norm(x, [3], torch.ones(3), torch.ones(3)))
refused("norm weight", lambda: F.layer_norm(x, [4]))
refused("matmul dense", lambda: x @ torch.ones(4, 2))
refused("matmul", lambda: x @ x)
refused("matmul ranks", lambda: torch.matmul(heads, x))
refused("bmm", lambda: torch.bmm(x, x))
refused("bmm batch", lambda: torch.bmm(x, torch.ones(3, 4, 2)))
refused("transpose", lambda: x.transpose(0, 1))
refused("view", lambda: x.view(2, -1, 3))
refused("view batch", lambda: x.view(1, -1, 4))
refused("view infers", lambda: x.view(2, -1, 2, -1))
refused("view of a view", lambda: t.view(2, 2, -1, 2))
refused("unsqueeze", lambda: x.unsqueeze(0))
refused("squeeze", lambda: x.squeeze())
refused("squeeze 0", lambda: x.squeeze(0))
refused("chunk", lambda: x.chunk(3, -1))
refused("chunk rows", lambda: x.chunk(2, 1))
refused("split", lambda: x.split([1, 1], 2))
refused("unbind", lambda: x.unbind(1))
refused("select", lambda: x.select(1, 2))
refused("index", lambda: x[5])
refused("narrow", lambda: x.narrow(2, 0, 1))
refused("softmax", lambda: torch.softmax(x, 0))
refused("padded", lambda: x.to_padded_tensor(0.0, (2, 2, 5)))
refused("padded rank", lambda: x.to_padded_tensor(0.0, (2, 3)))
refused("padded view", lambda: t.to_padded_tensor(0.0))
refused("mask", lambda: F.scaled_dot_product_attention(q, q, q, torch.ones(2, 2)))
refused("causal", lambda: F.scaled_dot_product_attention(q, q, q, is_causal=True))
refused("attention of a view", lambda: F.scaled_dot_product_attention(heads.transpose(1, 2), q, q))
refused("cat", lambda: torch.cat([x, other], -1))
refused("cat dense", lambda: torch.cat([x, torch.ones(1, 4)], 0))
refused("copy", lambda: x.clone().copy_(other))
refused("ranks", lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(2, 2)]))
refused("nested", lambda: torch.nested.nested_tensor([x, x]))
refused("no list", lambda: torch.nested.nested_tensor((a, b)))
refused("layouts", lambda: torch.nested.as_nested_tensor(x, layout=torch.jagged))
refused("integers", lambda: torch.nested.nested_tensor([torch.tensor([1])], requires_grad=True))
