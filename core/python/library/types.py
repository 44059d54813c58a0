# SPDX-License-Identifier: Apache-2.0
class SimpleNamespace:
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        return 'namespace(%s)' % ', '.join('%s=%r' % pair for pair in self.__dict__.items())

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and self.__dict__ == other.__dict__


FunctionType = LambdaType = type(lambda: None)
CodeType = type((lambda: None).__code__)
FrameType = type(__import__('sys')._getframe())
CellType = type((lambda x: lambda: x)(0).__closure__[0])
BuiltinFunctionType = type(len)
GeneratorType = type((lambda: (yield))())
NoneType = type(None)


class _Sample:
    def method(self): pass


MethodType = type(_Sample().method)
import sys as _sys
ModuleType = type(_sys)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)
UnionType = type(int | str)
GenericAlias = type(list[int])


def MappingProxyType(mapping):
    return dict(mapping)
