# SPDX-License-Identifier: Apache-2.0
"""Programs that must do what they do whether they are recorded or not: each returns what it found out.

One that the PyTorch at hand lacks the means for raises Missing.
"""

import torch
from torch import nn

PROGRAMS = {}
UNKNOWN = torch.ones(2, 3)  # made before anything is recorded


class Missing(Exception):
    pass


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def need(*names):
    """The last of them; each is looked for in PyTorch."""
    for name in names:
        found = torch
        for part in name.split("."):
            try:
                __import__(f"{found.__name__}.{part}") if hasattr(found, "__path__") and not hasattr(found, part) else None
            except ImportError:
                raise Missing(name) from None
            if not hasattr(found, part):
                raise Missing(name)
            found = getattr(found, part)
    return found


def small():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for parameter in net.parameters():
        nn.init.ones_(parameter)
    return net


import programs_modules  # noqa: E402,F401
import programs_tensors  # noqa: E402,F401
import programs_tracers  # noqa: E402,F401
