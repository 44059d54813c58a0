# SPDX-License-Identifier: Apache-2.0
# torch.jit.ScriptModule, the way to script modules before torch.jit.script: the instance is compiled when its
# __init__ has run.
import torch
from torch.nn import Module


class ScriptMeta(type):
    def __call__(cls, *args, **kwargs):
        if cls is ScriptModule:
            raise RuntimeError('torch.jit.ScriptModule must be derived from')
        return torch.jit._finish_script_module(type.__call__(cls, *args, **kwargs))

    def __instancecheck__(cls, value):
        if cls is ScriptModule and torch.jit._is_script_module(value):
            return True
        return any(base is cls for base in type(value).__mro__)


class ScriptModule(Module, metaclass=ScriptMeta):
    __script_base__ = True
