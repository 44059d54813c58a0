# SPDX-License-Identifier: Apache-2.0
"""Records what a PyTorch program does, to be looked at in Tensorloupe.

    with tensorloupe.record(model, "step.loupe"):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()

    tensorloupe.show(model, x)

Needs PyTorch, 1.13 or later, and nothing else.
"""

from ._record import record
from ._show import show

__all__ = ["record", "show"]
