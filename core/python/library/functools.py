# SPDX-License-Identifier: Apache-2.0
_missing = object()


class partial:
    def __init__(self, func, /, *args, **keywords):
        if not callable(func):
            raise TypeError('the first argument must be callable')
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})

    def __reduce__(self):
        return type(self), (self.func,), (self.func, self.args, self.keywords, None)

    def __setstate__(self, state):
        self.func, self.args, self.keywords, _ = state
        self.keywords = dict(self.keywords)

    def __repr__(self):
        parts = [repr(self.func)]
        parts.extend(repr(arg) for arg in self.args)
        parts.extend('%s=%r' % pair for pair in self.keywords.items())
        return 'functools.partial(%s)' % ', '.join(parts)


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self.func = func
        self.args = args
        self.keywords = keywords

    def __get__(self, instance, owner):
        return partial(self.func, instance, *self.args, **self.keywords)


def reduce(function, iterable, initial=_missing):
    iterator = iter(iterable)
    if initial is _missing:
        value = next(iterator, _missing)
        if value is _missing:
            raise TypeError('reduce() of empty iterable with no initial value')
    else:
        value = initial
    for item in iterator:
        value = function(value, item)
    return value


WRAPPER_ASSIGNMENTS = ('__module__', '__name__', '__qualname__', '__doc__')


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=('__dict__',)):
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    if hasattr(wrapped, '__dict__'):
        for name, value in wrapped.__dict__.items():
            if not hasattr(wrapper, name):
                setattr(wrapper, name, value)
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=('__dict__',)):
    return lambda wrapper: update_wrapper(wrapper, wrapped)


from _collections import namedtuple

_CacheInfo = namedtuple('CacheInfo', ['hits', 'misses', 'maxsize', 'currsize'])


def _cached(function, maxsize, typed):
    cache = {}
    hits = misses = 0

    def wrapper(*args, **kwargs):
        nonlocal hits, misses
        key = (args, tuple(kwargs.items()))
        if typed:
            key = key + (tuple(type(arg) for arg in args),)
        found = cache.get(key, _missing)
        if found is not _missing:
            hits += 1
            if maxsize is not None:
                del cache[key]
                cache[key] = found
            return found
        misses += 1
        value = function(*args, **kwargs)
        if maxsize != 0:
            if maxsize is not None and len(cache) >= maxsize:
                del cache[next(iter(cache))]
            cache[key] = value
        return value

    def cache_clear():
        nonlocal hits, misses
        cache.clear()
        hits = misses = 0

    wrapper.cache_info = lambda: _CacheInfo(hits, misses, maxsize, len(cache))
    wrapper.cache_clear = cache_clear
    return update_wrapper(wrapper, function)


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _cached(maxsize, 128, typed)
    return lambda function: _cached(function, maxsize, typed)


def cache(function):
    return _cached(function, None, False)


class cached_property:
    def __init__(self, func):
        self.func = func
        self.name = None

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.func(instance)
        setattr(instance, self.name, value)
        return value


def cmp_to_key(compare):
    class K:
        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return compare(self.obj, other.obj) < 0

        def __gt__(self, other):
            return compare(self.obj, other.obj) > 0

        def __eq__(self, other):
            return compare(self.obj, other.obj) == 0

    return K


def total_ordering(cls):
    names = cls.__dict__
    if '__lt__' in names:
        less = lambda a, b: a.__lt__(b)
    elif '__gt__' in names:
        less = lambda a, b: b.__gt__(a)
    elif '__le__' in names:
        less = lambda a, b: a.__le__(b) and not a == b
    elif '__ge__' in names:
        less = lambda a, b: b.__ge__(a) and not a == b
    else:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    if '__lt__' not in names:
        cls.__lt__ = lambda self, other: less(self, other)
    if '__gt__' not in names:
        cls.__gt__ = lambda self, other: less(other, self)
    if '__le__' not in names:
        cls.__le__ = lambda self, other: less(self, other) or self == other
    if '__ge__' not in names:
        cls.__ge__ = lambda self, other: less(other, self) or self == other
    return cls


def singledispatch(function):
    registry = {}

    def register(cls, implementation=None):
        if implementation is None:
            return lambda f: register(cls, f)
        registry[cls] = implementation
        return implementation

    def dispatch(cls):
        for base in cls.__mro__:
            if base in registry:
                return registry[base]
        return function

    def wrapper(*args, **kwargs):
        return dispatch(type(args[0]))(*args, **kwargs)

    wrapper.register = register
    wrapper.dispatch = dispatch
    return update_wrapper(wrapper, function)
