# SPDX-License-Identifier: Apache-2.0
from torch.utils import _pytree


def cond(pred, true_fn, false_fn, operands=()):
    """One of two functions of the same operands."""
    if not isinstance(operands, (list, tuple)):
        raise RuntimeError("Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but "
                           "got {}.".format(operands))
    return true_fn(*operands) if bool(pred) else false_fn(*operands)


def while_loop(cond_fn, body_fn, carried_inputs, additional_inputs=()):
    while bool(cond_fn(*carried_inputs)):
        carried_inputs = body_fn(*carried_inputs)
        if not isinstance(carried_inputs, tuple):
            carried_inputs = (carried_inputs,)
    return carried_inputs
