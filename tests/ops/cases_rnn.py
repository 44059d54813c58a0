# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, cells, packed sequences."""
import torch

from cases_matrix import draw


def params(gates, hidden, inputs, layers, directions, bias, projection=0):
    out = []
    for layer in range(layers):
        for _ in range(directions):
            width = inputs if layer == 0 else (projection or hidden) * directions
            out += [draw(gates * hidden, width), draw(gates * hidden, projection or hidden)]
            if bias:
                out += [draw(gates * hidden), draw(gates * hidden)]
            if projection:
                out += [draw(projection, hidden)]
    return out


def add(c):
    torch.manual_seed(4)

    def call(op, *args, grads=True):
        c.call(op, *args, tolerance=1e-5, grads=grads)

    for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        for layers, directions, bias, batch_first in ((1, 1, True, False), (2, 2, True, True), (1, 2, False, False)):
            state = [draw(layers * directions, 2, 3), draw(layers * directions, 2, 3)]
            weights = params(gates, 3, 2, layers, directions, bias)
            hx = state if name == "lstm" else state[0]
            call(f"aten::{name}.input", draw(2, 4, 2) if batch_first else draw(4, 2, 2), hx, weights, bias, layers, 0.0, False, directions == 2,
                 batch_first)
            call(f"aten::{name}.data", draw(6, 2), torch.tensor([2, 2, 1, 1]), hx, weights, bias, layers, 0.0, True, directions == 2)
        cell = [draw(gates * 3, 2), draw(gates * 3, 3), draw(gates * 3), draw(gates * 3)]
        hx = [draw(2, 3), draw(2, 3)] if name == "lstm" else draw(2, 3)
        call(f"aten::{name}_cell", draw(2, 2), hx, *cell)
        call(f"aten::{name}_cell", draw(2, 2), hx, *cell[:2])
    call("aten::lstm.input", draw(4, 2, 2), [draw(1, 2, 2), draw(1, 2, 3)], params(4, 3, 2, 1, 1, True, 2), True, 1, 0.0, False, False, False)
    call("aten::_pack_padded_sequence", draw(4, 3, 2), torch.tensor([4, 2, 1]), False)
    call("aten::_pack_padded_sequence", draw(3, 4, 2), torch.tensor([3, 3, 1]), True)
    call("aten::_pad_packed_sequence", draw(7, 2), torch.tensor([3, 2, 1, 1]), True, 0.5, 6)
    call("aten::_pad_packed_sequence", draw(7, 2), torch.tensor([3, 2, 1, 1]), False, 0.0, -1)
    c.call("aten::_pack_padded_sequence", draw(4, 3, 2), torch.tensor([4, 5, 1]), False)
    c.call("aten::_pack_padded_sequence", draw(4, 3, 2), torch.tensor([4, 2, 0]), False)
    c.call("aten::lstm.input", draw(4, 2, 2), [draw(1, 2, 3)], params(4, 3, 2, 1, 1, True), True, 1, 0.0, False, False, False)

    def as_dtype(values, dtype):
        if isinstance(values, list):
            return [as_dtype(v, dtype) for v in values]
        return (values.detach() * 2).to(dtype)

    complexes = lambda v: [complexes(x) for x in v] if isinstance(v, list) else (0.3 * torch.complex(v.detach(), v.detach().flip(0))).requires_grad_()
    for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1)):
        state = [draw(1, 2, 3), draw(1, 2, 3)]
        hx = complexes(state if name == "lstm" else state[0])
        call(f"aten::{name}.input", complexes(draw(4, 2, 2)), hx, complexes(params(gates, 3, 2, 1, 1, True)), True, 1, 0.0, False, False, False)
    weights = as_dtype(params(1, 3, 2, 1, 1, True), torch.int64)
    c.call("aten::rnn_relu.input", as_dtype(draw(4, 2, 2), torch.int64), as_dtype(draw(1, 2, 3), torch.int64), weights, True, 1, 0.0, False, False, False)
