# SPDX-License-Identifier: Apache-2.0
"""Programs with tensors of other kinds, of other classes, and with hooks for saved ones."""

import torch
import torch.utils.checkpoint
from torch import nn

from programs import Missing, UNKNOWN, need, program


# Tensors of other kinds.


@program
def nested_tensors():
    a = need("nested.nested_tensor")([torch.ones(2, 3), torch.ones(4, 3)])
    return [each.sum().item() for each in (a * 2).unbind()]


@program
def jagged_tensors():
    a = need("nested.nested_tensor")(
        [torch.ones(2, 3), torch.ones(4, 3)], layout=need("jagged"), requires_grad=True
    )
    b = (a * 2).sin()
    b.values().sum().backward()
    return [each.sum().item() for each in b.unbind()]


@program
def padded_transformer():
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    net = nn.TransformerEncoder(layer, 2).eval()
    mask = torch.zeros(2, 5, dtype=torch.bool)
    mask[0, 3:] = True
    with torch.no_grad():
        return net(torch.randn(2, 5, 16), src_key_padding_mask=mask).tolist()


@program
def sparse():
    a = torch.eye(4).to_sparse().requires_grad_()
    b = torch.sparse.mm(a, torch.ones(4, 4))
    b.sum().backward()
    embedding = nn.Embedding(10, 4, sparse=True)
    optimizer = torch.optim.SparseAdam(embedding.parameters())
    embedding(torch.tensor([1, 2, 2])).sum().backward()
    optimizer.step()
    return b.sum().item(), a.grad.to_dense().sum().item(), embedding.weight.sum().item()


@program
def quantised():
    x = torch.arange(12.0).view(3, 4)
    scales = torch.tensor([0.1, 0.2, 0.3])
    by_channel = torch.quantize_per_channel(x, scales, torch.zeros(3, dtype=torch.int64), 0, torch.qint8)
    whole = torch.quantize_per_tensor(x, 0.1, 3, torch.quint8)
    return by_channel.dequantize().sum().item(), whole.view(4, 3)[1].int_repr().tolist()


@program
def half_complex():
    return torch.zeros(3, dtype=need("complex32")).add(1).to(torch.complex64).real.tolist()


@program
def other_dtypes():
    found = []
    for name in ("float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64", "bfloat16"):
        dtype = getattr(torch, name, None)
        if dtype is not None:
            found.append(torch.ones(4).to(dtype).clone().to(torch.float32).sum().item())
    for name in ("bits8", "float4_e2m1fn_x2"):
        dtype = getattr(torch, name, None)
        if dtype is not None:
            found.append(str(torch.zeros(4, dtype=torch.uint8).view(dtype).view(torch.uint8).tolist()))
    return found


@program
def meta():
    net = nn.Linear(4, 4).to("meta")
    y = net(torch.empty(2, 4, device="meta"))
    y.sum().backward()
    return str(y.shape), str(net.weight.grad.device)


@program
def lazy_modules():
    net = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
    never = nn.Sequential(nn.Linear(5, 5), nn.Identity())
    never.later = nn.LazyLinear(2)
    return net(torch.ones(3, 5)).shape, never[0](torch.ones(5)).shape


@program
def forward_mode():
    import torch.autograd.forward_ad as forward_ad

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.ones(3), torch.ones(3))
        return forward_ad.unpack_dual((dual**2).conj() + dual).tangent.tolist()


# Classes of tensors with overrides.


@program
def subclass_with_dispatch():
    from torch.utils._pytree import tree_map

    calls = []

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.size(), dtype=inner.dtype)

        def __init__(self, inner):
            self.inner = inner

        @classmethod
        def __torch_dispatch__(cls, function, types, arguments=(), keywords=None):
            calls.append(str(function))
            inner = lambda each: each.inner if isinstance(each, cls) else each  # noqa: E731
            result = function(*tree_map(inner, arguments), **tree_map(inner, keywords or {}))
            return tree_map(lambda each: cls(each) if isinstance(each, torch.Tensor) else each, result)

        def __repr__(self):
            calls.append("repr")
            return "Wrapper"

    class Net(nn.Module):
        def forward(self, x):
            return (x * 2).sum()

    return Net()(Wrapper(torch.ones(3))).inner.item(), calls


@program
def subclass_with_functions():
    calls = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            calls.append(getattr(function, "__name__", str(function)))
            return super().__torch_function__(function, types, arguments, keywords or {})

    class Net(nn.Module):
        def forward(self, x):
            return (x * 2).relu()

    y = Net()(torch.ones(3).as_subclass(Logged))
    return type(y).__name__, calls


@program
def masked():
    try:
        from torch.masked import masked_tensor
    except ImportError:
        raise Missing("masked_tensor") from None
    x = masked_tensor(torch.ones(3), torch.tensor([True, False, True]))
    return (x * 2).get_data().sum().item()


@program
def function_mode():
    from torch.overrides import TorchFunctionMode

    calls = []

    class Log(TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), keywords=None):
            calls.append(getattr(function, "__name__", str(function)))
            return function(*arguments, **(keywords or {}))

    with Log():
        x = torch.ones(3, requires_grad=True)
        nn.Linear(3, 3)(x * 2 + 1).sum().backward()
        nn.Identity()(UNKNOWN.clone())
        nn.Identity()(UNKNOWN[:1])
    return calls


@program
def dispatch_mode():
    from torch.utils._python_dispatch import TorchDispatchMode

    calls = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            calls.append(str(function))
            return function(*arguments, **(keywords or {}))

    net = nn.Linear(3, 3)
    unknown = torch.frombuffer(bytearray(24), dtype=torch.float32).view(2, 3)
    with Log():
        net(torch.ones(2, 3)).sum().backward()
        net(UNKNOWN)
        net(unknown)
    return calls


# Hooks for saved tensors.


@program
def saved_hooks():
    stored, calls = {}, []

    def pack(tensor):
        stored[len(calls)] = tensor.detach().clone()
        calls.append("pack")
        return len(calls) - 1

    def unpack(key):
        calls.append("unpack")
        return stored.pop(key)

    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).exp().sum()
    y.backward()
    return x.grad.tolist(), calls, len(stored)


@program
def saved_hooks_of_one_node():
    """Where PyTorch does not say that a node has them (before 2.8), nothing can be done about it."""
    if not hasattr(torch._C._autograd.SavedTensor, "unpack_hook"):
        raise Missing("SavedTensor.unpack_hook")
    calls = []
    x = torch.ones(3, requires_grad=True)
    y = x.exp()

    def unpack(tensor):
        calls.append("unpack")
        return tensor

    y.grad_fn._raw_saved_result.register_hooks(lambda tensor: tensor.clone(), unpack)
    y.sum().backward()
    return calls


@program
def checkpoints():
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.ReLU(), nn.Linear(4, 4))
    x = torch.ones(2, 4, requires_grad=True)
    calls, found = [], []

    def part(y):
        calls.append("part")
        return net(y)

    for is_reentrant in (True, False):
        torch.utils.checkpoint.checkpoint(part, x, use_reentrant=is_reentrant).sum().backward()
        found.append(x.grad.sum().item())
    return found, calls, torch.rand(1).item()


@program
def save_on_cpu():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).exp().sum()
    y.backward()
    return x.grad.tolist()


