# SPDX-License-Identifier: Apache-2.0
"""What an operator takes: floating point operations by the formulas of torch.utils.flop_counter, bytes by its tensors."""

try:  # PyTorch 2.1 and later
    from torch.utils.flop_counter import flop_registry as _formulas
except ImportError:
    _formulas = {}


def flops(function, arguments, keywords, result):
    """0 where there is no formula."""
    formula = _formulas.get(getattr(function, "overloadpacket", None))
    if formula is None:
        return 0
    try:
        return float(formula(*arguments, **keywords, out_val=result))
    except Exception:  # a formula of another release
        return 0
