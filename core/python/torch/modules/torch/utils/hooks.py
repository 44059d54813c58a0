# SPDX-License-Identifier: Apache-2.0
from torch.optim import Optimizer
from torch.nn import Module

RemovableHandle = type(Module().register_forward_hook(lambda *args: None))
