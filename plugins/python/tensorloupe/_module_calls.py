# SPDX-License-Identifier: Apache-2.0
"""Calls of modules, heard of around torch.nn.Module's own call.

No global hooks: torch.compile warns of them and guards on them. A compiled function does not see this wrapper, nor
does what is compiled in it.
"""

import functools

import torch

try:
    from torch.compiler import is_dynamo_compiling
except ImportError:  # before PyTorch 2.3

    def is_dynamo_compiling():
        return False


# __call__ is a wrapper of it since PyTorch 2.1.
_NAME = "_call_impl" if hasattr(torch.nn.Module, "_wrapped_call_impl") else "__call__"
if _NAME == "__call__":
    import torch.fx  # noqa: F401  which remembers what __call__ is


class ModuleCalls:
    """enter(module, arguments) says what leave(entered, result) is given, None: nothing. Neither may raise."""

    def __init__(self, enter, leave):
        self._enter = enter
        self._leave = leave
        self._original = self._wrapper = None

    def begin(self):
        original = getattr(torch.nn.Module, _NAME)
        # As long as something of the program's holds the wrapper, such as a module that was compiled meanwhile.
        heard = [(self._enter, self._leave)]

        @functools.wraps(original)
        def wrapper(*arguments, **keywords):
            if is_dynamo_compiling() or not heard:
                return original(*arguments, **keywords)
            enter, leave = heard[0]
            entered = enter(arguments[0], arguments[1:])
            if entered is None:
                return original(*arguments, **keywords)
            result = None
            try:
                result = original(*arguments, **keywords)
                return result
            finally:
                leave(entered, result)

        self._original, self._wrapper, self._heard = original, wrapper, heard
        setattr(torch.nn.Module, _NAME, wrapper)

    def end(self):
        if self._wrapper is None:
            return
        self._heard.clear()
        # What the program has put there since stays, around a wrapper that only passes through.
        if torch.nn.Module.__dict__.get(_NAME) is self._wrapper:
            setattr(torch.nn.Module, _NAME, self._original)
        self._wrapper = None
