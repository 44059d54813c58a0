// SPDX-License-Identifier: Apache-2.0
// Smaller modules in Python, and which text is which module.
#include <utility>

#include "core/python/language/evaluator_state.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {

namespace {

constexpr std::string_view kAbc = R"py(class ABCMeta(type):
    __is_abc_meta__ = True

    def register(cls, subclass):
        return subclass


class ABC(metaclass=ABCMeta):
    pass


def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function


def abstractproperty(function):
    return property(abstractmethod(function))


def abstractclassmethod(function):
    return classmethod(abstractmethod(function))


def abstractstaticmethod(function):
    return staticmethod(abstractmethod(function))
)py";

constexpr std::string_view kContextlib = R"py(import sys
from functools import wraps


class _GeneratorContextManager:
    def __init__(self, generator, name):
        self.generator = generator
        self.name = name

    def __enter__(self):
        try:
            return next(self.generator)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.generator)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.generator.throw(value)
        except StopIteration as stop:
            return stop is not value
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")

    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inner


def contextmanager(function):
    @wraps(function)
    def helper(*args, **kwargs):
        return _GeneratorContextManager(function(*args, **kwargs), function.__name__)
    return helper


class ContextDecorator:
    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inner


class suppress:
    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self.exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *details):
        return None


class redirect_stdout:
    _name = 'stdout'

    def __init__(self, new_target):
        self._new = new_target
        self._old = []

    def __enter__(self):
        self._old.append(getattr(sys, self._name))
        setattr(sys, self._name, self._new)
        return self._new

    def __exit__(self, *details):
        setattr(sys, self._name, self._old.pop())


class redirect_stderr(redirect_stdout):
    _name = 'stderr'


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *details):
        self.thing.close()


class ExitStack:
    def __init__(self):
        self._callbacks = []

    def enter_context(self, manager):
        value = manager.__enter__()
        self._callbacks.append(manager.__exit__)
        return value

    def callback(self, function, *args, **kwargs):
        def run(*details):
            function(*args, **kwargs)
        self._callbacks.append(run)
        return function

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        swallowed = False
        while self._callbacks:
            if self._callbacks.pop()(*details):
                swallowed = True
                details = (None, None, None)
        return swallowed
)py";

constexpr std::string_view kOperator = R"py(def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def matmul(a, b): return a @ b
def neg(a): return -a
def not_(a): return not a
def truth(a): return bool(a)
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def eq(a, b): return a == b
def ne(a, b): return a != b
def is_(a, b): return a is b
def contains(a, b): return b in a
def is_not(a, b): return a is not b
def inv(a): return ~a
def invert(a): return ~a
def pos(a): return a if isinstance(a, (int, float)) else a.__pos__()
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def countOf(a, b): return sum(1 for x in a if x is b or x == b)
def length_hint(a, default=0): return len(a) if hasattr(a, '__len__') else default


def indexOf(a, b):
    for i, x in enumerate(a):
        if x is b or x == b:
            return i
    raise ValueError('sequence.index(x): x not in sequence')


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def getitem(a, b): return a[b]
def setitem(a, b, c): a[b] = c
def delitem(a, b): del a[b]
def concat(a, b): return a + b
_abs = abs
def abs(a): return _abs(a)
def index(a): return a.__index__() if hasattr(a, '__index__') else int(a)


def itemgetter(*items):
    if len(items) == 1:
        return lambda obj: obj[items[0]]
    return lambda obj: tuple(obj[item] for item in items)


def attrgetter(*names):
    def get(obj, name):
        for part in name.split('.'):
            obj = getattr(obj, part)
        return obj
    if len(names) == 1:
        return lambda obj: get(obj, names[0])
    return lambda obj: tuple(get(obj, name) for name in names)


def methodcaller(name, *args, **kwargs):
    return lambda obj: getattr(obj, name)(*args, **kwargs)
)py";

constexpr std::string_view kTypes = R"py(class SimpleNamespace:
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        return 'namespace(%s)' % ', '.join('%s=%r' % pair for pair in self.__dict__.items())

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and self.__dict__ == other.__dict__


FunctionType = LambdaType = type(lambda: None)
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
)py";

constexpr std::string_view kNumbers = R"py(Number = (int, float, complex)
Complex = (int, float, complex)
Real = (int, float)
Rational = (int,)
Integral = (int,)
)py";

constexpr std::string_view kCollectionsAbc = R"py(from typing import (Iterable, Iterator, Generator, Sequence, Mapping, MutableMapping, MutableSequence, Callable,
                    Hashable, Collection)
Set = set
Sized = Iterable
)py";

// The way to script modules before torch.jit.script: the instance is compiled when its __init__ has run.
constexpr std::string_view kScriptModule = R"py(import torch
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
)py";

constexpr std::string_view kInspect = R"py(class Signature:
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
)py";

// Marks a stretch of the program for a profiler of PyTorch; scripts compile it too.
constexpr std::string_view kProfiler = R"py(from typing import Any, Optional


class record_function:
    def __init__(self, name: str, args: Optional[str] = None):
        self.name: str = name
        self.args: Optional[str] = args
        self.run_callbacks_on_exit: bool = True

    def __enter__(self):
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        self.run_callbacks_on_exit = False
)py";

}  // namespace

std::string_view library_source(std::string_view module) {
    if (module == "collections") return collections_source();
    if (module == "functools") return functools_source();
    if (module == "itertools") return itertools_source();
    if (module == "dataclasses") return dataclasses_source();
    if (module == "enum") return enum_source();
    if (module.starts_with("torch.utils.data")) return torch_data_source(module);
    if (module == "argparse") return argparse_source();
    if (const auto text = standard_library_source(module); !text.empty()) return text;
    if (module == "re") return re_source();
    if (const auto text = file_library_source(module); !text.empty()) return text;
    if (const auto text = text_library_source(module); !text.empty()) return text;
    if (module == "torch.distributions") return torch_distributions_source();
    if (module == "torch.autograd.functional") return torch_autograd_functional_source();
    if (module == "torch.func") return torch_func_source();
    if (module == "torch.optim.swa_utils") return torch_swa_utils_source();
    if (module == "torch._dynamo.eval_frame") return torch_compile_source();
    if (module == "torch.nn.attention") return torch_attention_source();
    constexpr std::pair<std::string_view, std::string_view> kSmall[] = {
        {"abc", kAbc},
        {"torch.autograd.profiler", kProfiler},
        {"torch.profiler", "from torch.autograd.profiler import record_function\n"},
        {"_script_module", kScriptModule},
        {"torch._dynamo", "def reset():\n    pass\n\n\ndef disable(fn=None, recursive=True):\n    return (lambda f: f) if fn is None else fn\n"},
        {"inspect", kInspect},
        {"contextlib", kContextlib},
        {"operator", kOperator},
        {"types", kTypes},
        {"numbers", kNumbers},
        {"collections.abc", kCollectionsAbc},
        {"torch.distributions.normal", "from torch.distributions import Normal\n"},
        {"torch.distributions.categorical", "from torch.distributions import Categorical\n"},
        {"torch.distributions.bernoulli", "from torch.distributions import Bernoulli\n"},
        {"torch.distributions.uniform", "from torch.distributions import Uniform\n"},
        {"torch.distributions.independent", "from torch.distributions import Independent\n"},
        {"torch.distributions.kl", "from torch.distributions import kl_divergence, register_kl\n"},
        {"torch.distributions.distribution", "from torch.distributions import Distribution\n"},
        {"torch.distributions.utils", "from torch.distributions import broadcast_all, clamp_probs, logits_to_probs, probs_to_logits\n"},
    };
    for (const auto& [name, text] : kSmall) {
        if (name == module) return text;
    }
    return {};
}

}  // namespace loupe::python
