# Functions and frames as objects: __code__, __closure__, types.FunctionType, inspect.currentframe().
import inspect
import sys
import types
from functools import update_wrapper


def plain(a, b=2, /, c=3, *rest, d, e=5, **others):
    inner = a
    return inner


code = plain.__code__
print(code.co_name, code.co_qualname, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
print(code.co_varnames, code.co_nlocals, code.co_flags & 0xc)
print(code.co_firstlineno, code.co_filename.rsplit('/')[-1])
print(code.co_freevars, code.co_cellvars, plain.__closure__)


def outer(x):
    def inner(y):
        return x + y
    return inner


add = outer(3)
print(add.__code__.co_freevars, outer.__code__.co_cellvars, add.__code__.co_qualname)
print(add.__closure__[0].cell_contents, len(add.__closure__))
print(add.__code__ == outer(4).__code__, add.__code__ != plain.__code__)

again = types.FunctionType(add.__code__, add.__globals__, 'again', add.__defaults__, add.__closure__)
print(again(4), again.__name__, type(again) is types.FunctionType)
again.__closure__[0].cell_contents = 10
print(add(4), again(4))

renamed = add.__code__.replace(co_name='other', co_qualname='Some.other')
print(renamed.co_name, renamed.co_qualname, add.__code__.co_name)


class Base:
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        forward = inspect.getattr_static(cls, 'forward')
        if 'forward' not in cls.__dict__ and isinstance(forward, types.FunctionType):
            clone = types.FunctionType(forward.__code__.replace(co_name=f'{cls.__name__}.forward'), forward.__globals__,
                                       'forward', forward.__defaults__, forward.__closure__)
            update_wrapper(clone, forward)
            cls.forward = clone

    def forward(self, x=1):
        return (type(self).__name__, x, super().__repr__()[:1])


class Derived(Base):
    pass


print(Derived().forward(), Derived.forward is Base.forward, Derived().forward(2))


class Kept:
    def __init__(self, width, depth=2, **more):
        super().__init__()
        frame = inspect.currentframe()
        args, varargs, keywords, values = inspect.getargvalues(frame)
        print(args, varargs, keywords, sorted(name for name in values if name != 'frame'))
        print({name: values[name] for name in args if name != 'self'}, values[keywords], values['__class__'] is Kept)


Kept(3, extra=7)


def called():
    frame = sys._getframe(1)
    print(frame.f_code.co_name, sorted(frame.f_locals), frame.f_lineno - frame.f_code.co_firstlineno)
    print(sys._getframe().f_back.f_code.co_name, 'called' in frame.f_globals)


def calls():
    local = 1
    called()


calls()
try:
    types.FunctionType(add.__code__, {}, 'bad')
except (TypeError, ValueError) as error:
    print(type(error).__name__)
print(type(code) is types.CodeType, type(sys._getframe()) is types.FrameType, type(add.__closure__[0]) is types.CellType)
