# SPDX-License-Identifier: Apache-2.0
"""Where the steps of a training are, and what backward starts from, without a change to the program."""

import functools
import sys
import threading
import types
import weakref

import torch

from ._module_calls import is_dynamo_compiling

_optimizer = sys.modules[torch.optim.Optimizer.__module__]
_HAS_HOOKS = hasattr(_optimizer, "register_optimizer_step_pre_hook")  # PyTorch 2.0 and later


class OptimizerSteps:
    """before(optimizer) and after(optimizer) of each call of step(), of those inside one the outermost alone.

    optimizers: these alone; None: every one. Neither function may raise. A step that torch.compile made into a graph is
    not seen, and its graph is what it is without.
    """

    def __init__(self, optimizers, before, after):
        self._optimizers = None if optimizers is None else [weakref.ref(each) for each in optimizers]
        self._before, self._after = before, after
        self._here = threading.local()
        self._handles = []
        self._wrapped = []

    def begin(self):
        if _HAS_HOOKS:
            self._handles = [
                _optimizer.register_optimizer_step_pre_hook(self._enter),
                _optimizer.register_optimizer_step_post_hook(self._leave),
            ]
            return
        if self._optimizers is None:
            raise ValueError("before PyTorch 2.0 tensorloupe.watch has to be given the optimizer")
        for reference in self._optimizers:
            self._wrap(reference())

    def end(self):
        for handle in self._handles:
            handle.remove()
        self._handles = []
        for reference, wrapper, before in self._wrapped:
            optimizer = reference()
            # What the program has put there since stays, around a wrapper that only passes through.
            if optimizer is not None and optimizer.__dict__.get("step") is wrapper:
                if before is None:
                    del optimizer.step
                else:
                    optimizer.step = before
        self._wrapped = []
        self._before = self._after = None

    def _watches(self, optimizer):
        return self._optimizers is None or any(each() is optimizer for each in self._optimizers)

    # An error is not the program's: what is called here keeps it to itself.
    def _enter(self, optimizer, arguments=(), keywords=None):
        if is_dynamo_compiling():
            return None
        inside = getattr(self._here, "inside", None)
        if self._before is None or (inside is not None and inside() is not None and self._here.depth):
            if inside is not None:
                self._here.depth += 1
            return None
        if self._watches(optimizer):
            self._here.inside, self._here.depth = weakref.ref(optimizer), 1
            self._before(optimizer)
        return None

    def _leave(self, optimizer, arguments=(), keywords=None):
        if is_dynamo_compiling() or self._after is None:
            return
        inside = getattr(self._here, "inside", None)
        if inside is None:
            return
        if inside() is optimizer:
            self._here.inside, self._here.depth = None, 0
            self._after(optimizer)
        elif self._here.depth:
            self._here.depth -= 1

    def _wrap(self, optimizer):
        before = optimizer.__dict__.get("step")
        call = optimizer.step
        enter, leave = self._enter, self._leave

        @functools.wraps(call)
        def step(self, *arguments, **keywords):
            enter(self)
            result = call(*arguments, **keywords)
            leave(self)
            return result

        # A method, as schedules that are made later take it apart.
        optimizer.step = wrapper = types.MethodType(step, optimizer)
        self._wrapped.append((weakref.ref(optimizer), wrapper, before))


class BackwardRoots:
    """root(tensor) of each tensor that backward() has started from."""

    def __init__(self, root):
        self._root = root
        self._replaced = []

    def begin(self):
        # What torch.autograd.backward() calls since PyTorch 2.2: graphs of torch.compile do not reach there.
        if hasattr(torch.autograd, "_engine_run_backward"):
            self._replace(torch.autograd, "_engine_run_backward", self._of_engine)
        else:
            self._replace(torch.autograd, "backward", self._of_backward)

    def _replace(self, module, name, make):
        original = getattr(module, name)
        heard = [self._root]  # as long as something of the program's holds the wrapper
        wrapper = functools.wraps(original)(make(original, heard))
        setattr(module, name, wrapper)
        self._replaced.append((module, name, original, wrapper, heard))

    @staticmethod
    def _of_engine(original, heard):
        def run(roots, *arguments, **keywords):
            result = original(roots, *arguments, **keywords)
            if heard and keywords.get("accumulate_grad"):
                heard[0](roots)
            return result

        return run

    @staticmethod
    def _of_backward(original, heard):
        def backward(tensors, *arguments, **keywords):
            result = original(tensors, *arguments, **keywords)
            if heard:
                heard[0]((tensors,) if isinstance(tensors, torch.Tensor) else tensors)
            return result

        return backward

    def end(self):
        for module, name, original, wrapper, heard in self._replaced:
            heard.clear()
            if getattr(module, name) is wrapper:
                setattr(module, name, original)
        self._replaced = []


class ScaledLosses:
    """scaled(loss, result) of what a GradScaler multiplies, so that a loss is shown as the program computed it."""

    def __init__(self, scaled):
        self._scaled = scaled
        self._replaced = None

    def begin(self):
        kind = getattr(getattr(torch, "amp", None), "GradScaler", None) or torch.cuda.amp.GradScaler
        kind = next((each for each in kind.__mro__ if "scale" in each.__dict__), None)
        if kind is None:
            return
        original = kind.__dict__["scale"]
        heard = [self._scaled]

        @functools.wraps(original)
        def scale(scaler, outputs):
            result = original(scaler, outputs)
            if heard and not is_dynamo_compiling() and isinstance(outputs, torch.Tensor) and result is not outputs:
                heard[0](outputs, result)
            return result

        kind.scale = scale
        self._replaced = kind, original, scale, heard

    def end(self):
        if self._replaced is None:
            return
        kind, original, wrapper, heard = self._replaced
        heard.clear()
        if kind.__dict__.get("scale") is wrapper:
            kind.scale = original
        self._replaced = None
