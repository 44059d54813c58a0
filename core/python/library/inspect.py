# SPDX-License-Identifier: Apache-2.0
class Signature:
    def __init__(self):
        self.parameters = {}


def signature(callable):
    if type(callable).__name__ in ('function', 'method'):
        raise NotImplementedError('signatures of functions are not available here')
    return Signature()


def isclass(value):
    return isinstance(value, type)


def isfunction(value):
    return type(value).__name__ == 'function'


def ismethod(value):
    return type(value).__name__ == 'method'
