# SPDX-License-Identifier: Apache-2.0
"""Records what a PyTorch program does, to be looked at in Tensorloupe.

    with tensorloupe.record(model, "step.loupe"):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()

    tensorloupe.show(model, x)

    tensorloupe.watch(model, optimizer)  # a training in progress, in a window that attaches to it

Needs PyTorch, 1.13 or later, and nothing else.
"""

from ._record import record
from ._show import show
from ._watch import watch

__all__ = ["record", "show", "watch"]
