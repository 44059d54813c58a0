# SPDX-License-Identifier: Apache-2.0
"""Programs that trace, transform, export or compile."""

import re
import warnings

import torch
from torch import nn

from programs import need, program, small


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
    net = small()
    exported = need("export.export")(net, (torch.ones(2, 4),))
    return [node.name for node in exported.graph.nodes], exported.module()(torch.ones(2, 4)).sum().item()


@program
def traced():
    net = small()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        traced = torch.jit.trace(net, torch.ones(2, 4))
    return re.sub(r"mangle_\d+", "", str(traced.graph)), traced(torch.ones(2, 4)).sum().item(), len(said)


@program
def scripted():
    scripted = torch.jit.script(small())
    return [scripted(torch.ones(2, 4)).sum().item() for _ in range(3)]


@program
def made_into_graphs():
    import torch.fx
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = torch.fx.symbolic_trace(small())
    made = make_fx(lambda x: x.sin() + 1)(torch.ones(3))
    return str(graph.code), str(made.code)


@program
def fake_tensors():
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        b = small()(torch.ones(3, 4))
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

    net = nn.Sequential(small(), small())
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


