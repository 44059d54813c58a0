# SPDX-License-Identifier: Apache-2.0
# Tensors that a module registers as buffers when they are set, and parameters whose shape a first input gives.
import torch


class _OfTensor(type):
    def __instancecheck__(cls, value):
        return type.__instancecheck__(cls, value) or isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter)


class Buffer(metaclass=_OfTensor):
    def __init__(self, data=None, *, persistent=True):
        self.data = torch.empty(0) if data is None else data.detach()
        self.persistent = persistent


class UninitializedParameter:
    pass


class UninitializedBuffer:
    pass


def is_lazy(parameter):
    return isinstance(parameter, (UninitializedParameter, UninitializedBuffer))
