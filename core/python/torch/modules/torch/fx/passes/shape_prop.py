# SPDX-License-Identifier: Apache-2.0
# Shapes of what the nodes of a graph give, by running it.
from collections import namedtuple
import torch
from torch.fx import Interpreter, map_aggregate

TensorMetadata = namedtuple('TensorMetadata', ['shape', 'dtype', 'requires_grad', 'stride', 'memory_format', 'is_quantized', 'qparams'])


def _extract_tensor_metadata(result, include_contiguity=True):
    memory_format = None
    if include_contiguity:
        for each in (torch.contiguous_format, torch.channels_last, torch.channels_last_3d):
            fits = each is torch.contiguous_format or result.ndim == (4 if each is torch.channels_last else 5)
            if fits and result.is_contiguous(memory_format=each):
                memory_format = each
                break
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), memory_format, result.is_quantized, {})


class ShapeProp(Interpreter):
    def run_node(self, n):
        result = super().run_node(n)
        found = []

        def extract(value):
            if not isinstance(value, torch.Tensor):
                return value
            found.append(value)
            return _extract_tensor_metadata(value)

        meta = map_aggregate(result, extract)
        if found:
            n.meta['tensor_meta'] = meta
        n.meta['type'] = type(result)
        return result

    def propagate(self, *args):
        return super().run(*args)
