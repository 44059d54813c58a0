# SPDX-License-Identifier: Apache-2.0
from functools import wraps

import torch
from torch import autocast
from torch.amp import is_autocast_available


def _cast(value, device_type, dtype):
    if isinstance(value, torch.Tensor):
        is_cast = value.is_floating_point() and value.device.type == device_type and value.dtype != torch.float64
        return value.to(dtype) if is_cast else value
    if isinstance(value, dict):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(v, device_type, dtype) for v in value)
    return value


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Of an autograd.Function's forward: runs it without autocast on inputs of one type, or as it finds autocast."""
    if fwd is None:
        return lambda function: custom_fwd(function, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorated(*args, **kwargs):
        args[0]._dtype = torch.get_autocast_dtype(device_type)
        if cast_inputs is None:
            args[0]._fwd_used_autocast = torch.is_autocast_enabled(device_type)
            return fwd(*args, **kwargs)
        is_on = torch.is_autocast_enabled(device_type)
        args[0]._fwd_used_autocast = False
        if not is_on:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd=None, *, device_type):
    """Of an autograd.Function's backward: runs it under the autocast of its forward."""
    if bwd is None:
        return lambda function: custom_bwd(function, device_type=device_type)

    @wraps(bwd)
    def decorated(*args, **kwargs):
        with autocast(device_type=device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorated


def cuda_custom_fwd(fwd=None, *, cast_inputs=None):
    return custom_fwd(fwd, device_type='cuda', cast_inputs=cast_inputs)


def cuda_custom_bwd(bwd=None):
    return custom_bwd(bwd, device_type='cuda')
