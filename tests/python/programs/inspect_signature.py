# SPDX-License-Identifier: Apache-2.0
import functools
import inspect


def plain(a, b=2, *rest, key, other=None, **more):
    return a


def only(a, /, b, *, c=3):
    return a


class Layer:
    def __init__(self, width, depth=2):
        self.width = width

    def forward(self, x, scale=1.5):
        return x

    def __call__(self, y):
        return y


for each in (plain, only, Layer, Layer(3).forward, Layer(3), lambda x, y="a": x):
    print(inspect.signature(each))
    for name, parameter in inspect.signature(each).parameters.items():
        print(name, parameter, parameter.kind, parameter.default is inspect.Parameter.empty)

bound = inspect.signature(plain).bind(1, 5, 6, 7, key="k", extra=9)
print(dict(bound.arguments), bound.args, bound.kwargs)
bound = inspect.signature(only).bind(1, b=2)
bound.apply_defaults()
print(dict(bound.arguments), bound.args, bound.kwargs)
for args, kwargs in (((), {}), ((1,), {}), ((1, 2, 3), {}), ((1, 2), {"d": 1})):
    try:
        inspect.signature(only).bind(*args, **kwargs)
    except TypeError as error:
        print(error)


def noisy(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


print(inspect.signature(noisy(only)))
