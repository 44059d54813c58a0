# SPDX-License-Identifier: Apache-2.0
"""Programs that must do what they do whether they are recorded or not: each returns what it found out.

One that the PyTorch at hand lacks the means for raises Missing.
"""

import gc
import io
import random
import re
import sys
import threading
import warnings
import weakref

import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn

PROGRAMS = {}
UNKNOWN = torch.ones(2, 3)  # made before anything is recorded


class Missing(Exception):
    pass


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def need(*names):
    """The last of them; each is looked for in PyTorch."""
    for name in names:
        found = torch
        for part in name.split("."):
            try:
                __import__(f"{found.__name__}.{part}") if hasattr(found, "__path__") and not hasattr(found, part) else None
            except ImportError:
                raise Missing(name) from None
            if not hasattr(found, part):
                raise Missing(name)
            found = getattr(found, part)
    return found


def _small():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for parameter in net.parameters():
        nn.init.ones_(parameter)
    return net


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


# Tracers and transforms.


@program
def transforms():
    func = need("func")
    cube = lambda x: (x**3).sum()  # noqa: E731
    return (
        func.grad(cube)(torch.ones(3)).tolist(),
        func.vmap(lambda x: x.sin() * 2)(torch.ones(3, 2)).sum().item(),
        func.jacrev(torch.sin)(torch.ones(2)).tolist(),
        func.jacfwd(torch.sin)(torch.ones(2)).tolist(),
        func.hessian(cube)(torch.ones(2)).tolist(),
        func.vmap(func.grad(lambda w, x: (w * x).sum()), in_dims=(None, 0))(torch.ones(3), torch.ones(2, 3)).tolist(),
    )


@program
def exported():
    net = _small()
    exported = need("export.export")(net, (torch.ones(2, 4),))
    return [node.name for node in exported.graph.nodes], exported.module()(torch.ones(2, 4)).sum().item()


@program
def traced():
    net = _small()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        traced = torch.jit.trace(net, torch.ones(2, 4))
    return re.sub(r"mangle_\d+", "", str(traced.graph)), traced(torch.ones(2, 4)).sum().item(), len(said)


@program
def scripted():
    scripted = torch.jit.script(_small())
    return [scripted(torch.ones(2, 4)).sum().item() for _ in range(3)]


@program
def made_into_graphs():
    import torch.fx
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = torch.fx.symbolic_trace(_small())
    made = make_fx(lambda x: x.sin() + 1)(torch.ones(3))
    return str(graph.code), str(made.code)


@program
def fake_tensors():
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        b = _small()(torch.ones(3, 4))
    return str(b.shape), type(b).__name__


@program
def conditional():
    y = need("cond")(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(3),))
    return (y * 2).tolist()


@program
def flexible_attention():
    attention = need("nn.attention.flex_attention").flex_attention
    q = torch.ones(1, 1, 16, 16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attention(q, q, q).sum().item()


@program
def compiled():
    """As many graphs, of as many nodes, also where only one graph is allowed, and no warning."""
    need("compile", "compiler.is_dynamo_compiling")
    found = []

    def backend(graph, _):
        found.append(len(list(graph.graph.nodes)))
        return graph.forward

    net = nn.Sequential(_small(), _small())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for whole in (False, True):
            torch._dynamo.reset()
            compiled = torch.compile(net, backend=backend, fullgraph=whole)
            for _ in range(3):
                compiled(torch.ones(2, 4)).sum().backward()
        traced_ahead = torch.compile(net, backend="aot_eager")
        traced_ahead(torch.ones(2, 4)).sum().backward()
    return found, net[0][0].weight.grad.sum().item(), [str(each.message)[:60] for each in said]


# Modules.


@program
def results_that_hold_themselves():
    class Net(nn.Module):
        def forward(self, x):
            found = [x[0]]
            found.append(found)
            return found

    given = [torch.ones(2)]
    given.append(given)
    return len(Net()(given))


@program
def hooks_that_fail():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def fails(*_):
        raise KeyError("hook")

    found = []
    for register in (net[1].register_forward_hook, net[1].register_forward_pre_hook):
        handle = register(fails)
        for _ in range(2):
            try:
                net(torch.ones(2))
            except KeyError as error:
                found.append(str(error))
        handle.remove()
    net(torch.ones(2)).sum().backward()
    return found


@program
def classes_with_their_own_ways():
    """Of what the program overrides nothing is called that it does not call itself."""
    calls = []

    class Odd(int):
        def __repr__(self):
            calls.append("repr")
            raise RuntimeError("repr")

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)
            self.odd = Odd(3)

        def named_modules(self, *arguments, **keywords):
            calls.append("named_modules")
            return super().named_modules(*arguments, **keywords)

        def parameters(self, *arguments, **keywords):
            calls.append("parameters")
            return super().parameters(*arguments, **keywords)

        def forward(self, x):
            return self.inner(x).sum(dim=Odd(0))

    Net()(torch.ones(1, 2))
    return calls


@program
def modules_and_tensors_end():
    """When the program lets go of them, not when the recording ends."""
    found = []
    for _ in range(3):
        net = nn.Linear(3, 3)
        y = net(torch.ones(2, 3))
        y.sum().backward()
        watched = [weakref.ref(net), weakref.ref(net.weight), weakref.ref(y)]
        del net, y
        gc.collect()
        found.append([each() is None for each in watched])
    return found


@program
def deep_modules():
    """As deep as Python lets modules be inside one another."""

    class Deep(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.depth = depth

        def forward(self, x):
            return x.sin() if self.depth == 0 else self.walk(self.depth, x)

        def walk(self, depth, x):
            return x.sin() if depth == 0 else self.walk(depth - 1, x)

    depth = 0
    frame = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return Deep(sys.getrecursionlimit() - depth - 12 if sys.getrecursionlimit() <= 1000 else 900)(torch.ones(2)).shape


@program
def threads():
    net = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(4)])
    for parameter in net.parameters():
        nn.init.constant_(parameter, 0.1)
    found, errors = [None] * 4, []

    def work(number):
        try:
            for _ in range(20):
                found[number] = net(torch.ones(2, 8)).sum().item()
        except Exception as error:
            errors.append(repr(error))

    running = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in running:
        each.start()
    for _ in range(5):
        net(torch.ones(2, 8)).sum().backward()
    for each in running:
        each.join()
    return found, errors, net[0][0].weight.grad.sum().item()


@program
def in_parallel():
    net = nn.DataParallel(_small())
    return net(torch.ones(2, 4)).sum().item()


@program
def generators():
    """A batch a time, from a function that stands between two."""

    def batches():
        for number in range(3):
            with torch.no_grad():
                yield torch.full((2, 4), float(number)) * 2

    net = _small()
    return [net(batch).sum().item() for batch in batches()]


@program
def precisions():
    net = nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.Linear(64, 8))
    with torch.autocast("cpu", torch.bfloat16):
        y = net(torch.randn(4, 64))
        loss = F.cross_entropy(y.float(), torch.zeros(4, dtype=torch.long))
    loss.backward()
    torch.set_default_dtype(torch.float64)
    try:
        more = (torch.ones(3) * 2).sum().item()
    finally:
        torch.set_default_dtype(torch.float32)
    return str(y.dtype), loss.item(), net[0].weight.grad.sum().item(), more


@program
def inference():
    with torch.inference_mode():
        y = _small()(torch.ones(2, 4))
        y.add_(1)
    return y.is_inference(), y.sum().item()


@program
def writes_in_place():
    x = torch.ones(4, requires_grad=True)
    y = x * 2
    y.mul_(3).add_(1)
    y[1:3].zero_()
    y.sum().backward()
    z = x.detach().exp().requires_grad_()
    with torch.no_grad():
        z.add_(1)
    w = torch.ones(4, requires_grad=True)
    v = w.exp()
    v.add_(1)
    try:
        v.sum().backward()
    except RuntimeError as error:
        return x.grad.tolist(), "modified by an inplace" in str(error)


@program
def random_numbers():
    found = [torch.rand(3).tolist(), F.dropout(torch.ones(10), 0.5).tolist(), random.random()]
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.4))
    net(torch.randn(3, 4)).sum().backward()
    return found + [torch.randperm(7).tolist(), torch.get_rng_state().sum().item()]


@program
def deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        x = torch.randn(10, requires_grad=True)
        x[torch.tensor([1, 1, 2])].sum().backward()
        return x.grad.tolist()
    finally:
        torch.use_deterministic_algorithms(False)


@program
def warnings_as_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = torch.randn(3, dtype=torch.complex64)
        (p * 2).abs()
        net = _small()
        y = net(torch.ones(2, 4))
        y.sum().backward()
        net.more = y  # no leaf: asking for its .grad is a warning
        net._parameters["made"] = None
        return net(torch.ones(2, 4)).sum().item()


@program
def anomalies():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.set_detect_anomaly(True):
            x = torch.zeros(3, requires_grad=True)
            try:
                (x / x).sum().backward()
            except RuntimeError as error:
                return str(error).partition(".")[0]


@program
def custom_functions():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(context, gradient):
            (x,) = context.saved_tensors
            if x.numel() == 2:
                raise ValueError("two")
            return gradient * 2

    found = []
    for size in (3, 2):
        x = torch.ones(size, requires_grad=True)
        try:
            Twice.apply(x).sum().backward()
            found.append(x.grad.tolist())
        except ValueError as error:
            found.append(str(error))
    return found


@program
def backward_of_backward():
    x = torch.ones(3, requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    g.sum().backward()
    y = (x * 2).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad.tolist()


@program
def long_lists():
    many = [torch.ones(2) for _ in range(3000)]
    torch._foreach_add_(many, 1.0)
    return torch.stack(many).sum().item(), sum(each.sum().item() for each in torch.split(torch.ones(500), 1))


@program
def shown_many_times():
    x = torch.ones(3).as_strided((1 << 20, 1 << 20), (0, 0))
    y = torch.ones(1).expand(1 << 40)
    z = torch.arange(2000.0).unfold(0, 1000, 1)
    return x[0, 0].item(), y[5].item(), z[7].sum().item()


@program
def steps():
    found = []
    for kind, options in (
        (torch.optim.Adam, {}),
        (torch.optim.Adam, {"foreach": True}),
        (torch.optim.SGD, {"lr": 0.1, "nesterov": True, "momentum": 0.9}),
        (torch.optim.LBFGS, {}),
    ):
        net = nn.Linear(4, 4)
        optimizer = kind(net.parameters(), **options)

        def closure():
            optimizer.zero_grad()
            loss = net(torch.ones(3, 4)).pow(2).sum()
            loss.backward()
            return loss

        for _ in range(3):
            loss = optimizer.step(closure)
        found.append((float(loss), net.weight.double().sum().item()))
    return found


@program
def files():
    net = _small()
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    buffer.seek(0)
    net.load_state_dict(torch.load(buffer))
    return net(torch.ones(1, 4)).sum().item()
