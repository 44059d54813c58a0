# SPDX-License-Identifier: Apache-2.0
"""When the recorder steps aside: operators of these are not for it to look at, they only pass through."""

import torch

_transforms = torch._C._are_functorch_transforms_active
_mode = getattr(torch._C, "_get_dispatch_mode", None)  # PyTorch 2.1 and later
_keys = getattr(torch._C, "_TorchDispatchModeKey", None)
_TRACERS = [
    (getattr(_keys, name), what)
    for name, what in (
        ("FAKE", "tensors are fake (export, compile or FakeTensorMode)"),
        ("PROXY", "a graph is traced (make_fx or export)"),
        ("FUNCTIONAL", "a program is functionalised"),
    )
    if _mode is not None and hasattr(_keys, name)
]
_tracing_state = torch._C._get_tracing_state
_is_capturing = getattr(torch._C, "_cuda_isCurrentStreamCapturing", None)
_PLAIN = torch.Tensor.__torch_dispatch__
_has_plain_class = {torch.Tensor: True, torch.nn.Parameter: True}


def why():
    """What is under way on this thread that the recorder must not be part of; None: nothing."""
    if _tracing_state() is not None:
        return "torch.jit.trace is under way"
    if _transforms():
        return "a transform of torch.func is active"
    if _is_capturing is not None and torch.cuda.is_initialized() and _is_capturing():
        return "a CUDA graph is captured"
    for key, what in _TRACERS:
        if _mode(key) is not None:
            return what
    return None


def has_plain_class(kind):
    """Tensors of this class have no dispatch of their own."""
    found = _has_plain_class.get(kind)
    if found is None:
        found = _has_plain_class[kind] = kind.__torch_dispatch__ is _PLAIN
    return found


def is_plain(tensor):
    """It has sizes and elements that can be looked at."""
    return has_plain_class(type(tensor)) and not tensor.is_nested


def is_mode_active(mode):
    """Is it on the stack of this thread?"""
    at = torch._C._get_dispatch_stack_at
    return any(at(number) is mode for number in range(torch._C._len_torch_dispatch_stack()))
