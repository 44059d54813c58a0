# SPDX-License-Identifier: Apache-2.0
# Shapes in annotations: they are read by people, nothing is checked.
from typing import Any


class _Kind:
    def __init__(self, name, of=None):
        self._name = name
        self._of = of

    def __getitem__(self, key):
        return _Kind(self._name, key)

    def __or__(self, other):
        return Any

    __ror__ = __or__

    def __instancecheck__(self, value):
        import torch
        return isinstance(value, torch.Tensor)

    def __repr__(self):
        return self._name

    def __call__(self, *args, **kwargs):
        raise TypeError(f'{self._name} is an annotation')


Float, Float16, Float32, Float64, BFloat16, Inexact, Complex, Int, Int8, Int16, Int32, Int64, Integer, UInt, UInt8, Bool, Num, Shaped, Key, Real = [
    _Kind(name) for name in ('Float', 'Float16', 'Float32', 'Float64', 'BFloat16', 'Inexact', 'Complex', 'Int', 'Int8', 'Int16', 'Int32',
                             'Int64', 'Integer', 'UInt', 'UInt8', 'Bool', 'Num', 'Shaped', 'Key', 'Real')]
PyTree = Array = ArrayLike = Scalar = ScalarLike = PRNGKeyArray = _Kind('PyTree')


def jaxtyped(function=None, *, typechecker=None):
    return (lambda decorated: decorated) if function is None else function


class install_import_hook:
    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        return False
