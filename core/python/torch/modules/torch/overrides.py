# SPDX-License-Identifier: Apache-2.0
def has_torch_function(relevant_args):
    return any(hasattr(type(arg), '__torch_function__') for arg in relevant_args)


def is_tensor_like(inp):
    import torch
    return isinstance(inp, torch.Tensor) or hasattr(type(inp), '__torch_function__')


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    for arg in relevant_args:
        if hasattr(type(arg), '__torch_function__'):
            return type(arg).__torch_function__(public_api, (type(arg),), args, kwargs)
    raise TypeError(f'no implementation found for {public_api.__name__}')
