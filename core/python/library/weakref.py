# SPDX-License-Identifier: Apache-2.0
from _native import weak_reference


class ref:
    def __init__(self, object, callback=None):
        self._get = weak_reference(object)
        self.__callback__ = callback
        self._hash = None

    def __call__(self):
        return self._get()

    def __hash__(self):
        if self._hash is None:
            self._hash = hash(self._get())
        return self._hash

    def __eq__(self, other):
        if not isinstance(other, ref):
            return NotImplemented
        mine, its = self._get(), other._get()
        if mine is None or its is None:
            return self is other
        return mine == its

    def __repr__(self):
        target = self._get()
        if target is None:
            return f'<weakref at {hex(id(self))}; dead>'
        return f"<weakref at {hex(id(self))}; to '{type(target).__name__}' at {hex(id(target))}>"


ReferenceType = ref


class WeakMethod:
    def __init__(self, method, callback=None):
        self._self = ref(method.__self__)
        self._function = method.__func__

    def __call__(self):
        target = self._self()
        return None if target is None else self._function.__get__(target)


class _Proxy:
    def __init__(self, object, callback=None):
        self.__dict__['_get'] = weak_reference(object)

    def __getattr__(self, name):
        target = self.__dict__['_get']()
        if target is None:
            raise ReferenceError('weakly-referenced object no longer exists')
        return getattr(target, name)

    def __setattr__(self, name, value):
        setattr(self.__dict__['_get'](), name, value)

    def __call__(self, *args, **kwargs):
        return self.__dict__['_get']()(*args, **kwargs)

    def __len__(self):
        return len(self.__dict__['_get']())

    def __getitem__(self, key):
        return self.__dict__['_get']()[key]

    def __iter__(self):
        return iter(self.__dict__['_get']())

    def __bool__(self):
        return bool(self.__dict__['_get']())


def proxy(object, callback=None):
    return _Proxy(object, callback)


def getweakrefcount(object):
    return 0


class _Id:
    """A key by identity that does not keep its object."""

    def __init__(self, object):
        self.get = weak_reference(object)
        self.id = id(object)

    def __hash__(self):
        return hash(self.id)

    def __eq__(self, other):
        return self.id == other.id and (self.get() is not None) == (other.get() is not None)


class WeakKeyDictionary:
    def __init__(self, dict=None):
        self._data = {}
        if dict is not None:
            self.update(dict)

    def _live(self):
        for key in [key for key in self._data if key.get() is None]:
            del self._data[key]
        return self._data

    def __getitem__(self, key):
        try:
            return self._live()[_Id(key)]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key, value):
        self._live()[_Id(key)] = value

    def __delitem__(self, key):
        del self._live()[_Id(key)]

    def __contains__(self, key):
        return _Id(key) in self._live()

    def __len__(self):
        return len(self._live())

    def __iter__(self):
        return iter([key.get() for key in self._live()])

    def keys(self):
        return list(self)

    def values(self):
        return list(self._live().values())

    def items(self):
        return [(key.get(), value) for key, value in self._live().items()]

    def get(self, key, default=None):
        return self._live().get(_Id(key), default)

    def setdefault(self, key, default=None):
        return self._live().setdefault(_Id(key), default)

    def pop(self, key, *default):
        return self._live().pop(_Id(key), *default)

    def update(self, other):
        for key, value in other.items():
            self[key] = value

    def clear(self):
        self._data.clear()


class WeakValueDictionary:
    def __init__(self, other=(), **kwargs):
        self._data = {}
        for key, value in dict(other, **kwargs).items():
            self[key] = value

    def _live(self):
        for key in [key for key, value in self._data.items() if value() is None]:
            del self._data[key]
        return self._data

    def __getitem__(self, key):
        return self._live()[key]()

    def __setitem__(self, key, value):
        self._live()[key] = weak_reference(value)

    def __delitem__(self, key):
        del self._live()[key]

    def __contains__(self, key):
        return key in self._live()

    def __len__(self):
        return len(self._live())

    def __iter__(self):
        return iter(list(self._live()))

    def keys(self):
        return list(self._live())

    def values(self):
        return [value() for value in self._live().values()]

    def items(self):
        return [(key, value()) for key, value in self._live().items()]

    def get(self, key, default=None):
        found = self._live().get(key)
        return default if found is None else found()

    def pop(self, key, *default):
        found = self._live().pop(key, *default)
        return found() if callable(found) else found

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        self._data.clear()


class WeakSet:
    def __init__(self, data=()):
        self._data = WeakKeyDictionary()
        for item in data:
            self.add(item)

    def add(self, item):
        self._data[item] = True

    def discard(self, item):
        self._data.pop(item, None)

    def remove(self, item):
        del self._data[item]

    def __contains__(self, item):
        return item in self._data

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        return iter(self._data)

    def clear(self):
        self._data.clear()


class finalize:
    def __init__(self, obj, func, /, *args, **kwargs):
        self._get = weak_reference(obj)
        self._work = (func, args, kwargs)

    @property
    def alive(self):
        return self._work is not None

    def __call__(self, _=None):
        if self._work is not None:
            func, args, kwargs = self._work
            self._work = None
            return func(*args, **kwargs)

    def detach(self):
        self._work = None
