# SPDX-License-Identifier: Apache-2.0
"""Programs with modules, threads, gradients and optimisers."""

import gc
import io
import random
import sys
import threading
import warnings
import weakref

import torch
import torch.nn.functional as F
from torch import nn

from programs import program, small


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
    net = nn.DataParallel(small())
    return net(torch.ones(2, 4)).sum().item()


@program
def generators():
    """A batch a time, from a function that stands between two."""

    def batches():
        for number in range(3):
            with torch.no_grad():
                yield torch.full((2, 4), float(number)) * 2

    net = small()
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
        y = small()(torch.ones(2, 4))
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
        net = small()
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
    net = small()
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    buffer.seek(0)
    net.load_state_dict(torch.load(buffer))
    return net(torch.ones(1, 4)).sum().item()
