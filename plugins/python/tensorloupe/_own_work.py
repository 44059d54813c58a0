# SPDX-License-Identifier: Apache-2.0
"""The guard around all of the recorder's own work.

Inside, the operators that it calls are neither recorded nor seen by overrides of the program. An error ends in the
notes, not in the program; what is no Exception, such as a KeyboardInterrupt, is the program's and is raised there.
"""

import threading

import torch
import torch.overrides

_stack_mode = getattr(torch.overrides, "_TorchFunctionStackMode", None)  # PyTorch 1.13


class _NoFunctions13:
    """There DisableTorchFunction leaves modes on."""

    def __enter__(self):
        self._guard = torch._C.DisableTorchFunction()
        self._guard.__enter__()
        self._has_modes = torch._C._len_torch_function_stack() > 0
        if self._has_modes:
            torch._C._set_torch_function_mode(None)

    def __exit__(self, *error):
        if self._has_modes:
            torch._C._set_torch_function_mode(_stack_mode())
        self._guard.__exit__(*error)


_NoFunctions = torch._C.DisableTorchFunction if _stack_mode is None else _NoFunctions13


def _call(function, arguments, keywords):
    return function(*arguments, **keywords)


def _call_unseen(function, arguments, keywords):
    with _NoFunctions13():
        return function(*arguments, **keywords)


# Of an operator: in PyTorch 1.13 overrides of functions would see it as a call of the program's.
call = _call if _stack_mode is None else _call_unseen


class _Depth(threading.local):
    depth = 0


_here = _Depth()


def is_own():
    """On this thread, for any recorder."""
    return _here.depth > 0


def has_room(calls=30):
    """Can as many calls of Python be made inside one another? PyTorch 1.13 crashes where they cannot."""
    try:
        return calls == 0 or has_room(calls - 1)
    except RecursionError:
        return False


class Unseen:
    """No override of the program's sees what is called inside: of functions or of dispatch, of classes or of modes."""

    __slots__ = ("_functions", "_dispatch")

    def __enter__(self):
        self._functions = _NoFunctions()
        self._functions.__enter__()
        self._dispatch = torch._C._DisableTorchDispatch()  # until it is let go of

    def __exit__(self, kind, error, trace):
        self._dispatch = None
        self._functions.__exit__(kind, error, trace)


class OwnWork(Unseen):
    __slots__ = ("_recorder", "_what")

    def __init__(self, recorder, what):
        self._recorder = recorder
        self._what = what

    def __enter__(self):
        self._recorder.lock.acquire()
        try:
            Unseen.__enter__(self)
        except BaseException:  # at the end of Python's stack
            self._recorder.lock.release()
            raise
        _here.depth += 1

    def __exit__(self, kind, error, trace):
        recorder = self._recorder
        _here.depth -= 1
        try:
            Unseen.__exit__(self, kind, error, trace)
            recorder.values.forget_last()
            if isinstance(error, Exception):
                recorder.notes.failed(self._what, error, len(recorder.events))
                return True
            return False
        finally:
            recorder.lock.release()
