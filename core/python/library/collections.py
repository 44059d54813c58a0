# SPDX-License-Identifier: Apache-2.0
from _collections import namedtuple


class OrderedDict(dict):
    def __repr__(self):
        if not len(self):
            return self.__class__.__name__ + '()'
        return '%s(%r)' % (self.__class__.__name__, list(self.items()))

    def move_to_end(self, key, last=True):
        value = dict.pop(self, key)
        if last:
            dict.__setitem__(self, key, value)
            return
        items = list(self.items())
        self.clear()
        dict.__setitem__(self, key, value)
        for k, v in items:
            dict.__setitem__(self, k, v)

    def popitem(self, last=True):
        if not len(self):
            raise KeyError('dictionary is empty')
        key = next(reversed(self)) if last else next(iter(self))
        return key, self.pop(key)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return list(self.items()) == list(other.items())
        return dict.__eq__(self, other)


class defaultdict(dict):
    def __init__(self, default_factory=None, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError('first argument must be callable or None')
        self.default_factory = default_factory
        dict.__init__(self, *args, **kwargs)

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value

    def __repr__(self):
        return 'defaultdict(%r, %s)' % (self.default_factory, dict.__repr__(self))

    def __reduce__(self):
        arguments = () if self.default_factory is None else (self.default_factory,)
        return self.__class__, arguments, None, None, iter(self.items())


class Counter(dict):
    def __init__(self, iterable=None, **kwargs):
        dict.__init__(self)
        self.update(iterable, **kwargs)

    def __reduce__(self):
        return self.__class__, (dict(self),)

    def __missing__(self, key):
        return 0

    def update(self, iterable=None, **kwargs):
        if iterable is not None:
            if isinstance(iterable, dict):
                for key, count in iterable.items():
                    self[key] = self.get(key, 0) + count
            else:
                get = self.get
                for key in iterable:
                    self[key] = get(key, 0) + 1
        for key, count in kwargs.items():
            self[key] = self.get(key, 0) + count

    def subtract(self, iterable=None, **kwargs):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self.get(key, 0) - count
        elif iterable is not None:
            for key in iterable:
                self[key] = self.get(key, 0) - 1
        for key, count in kwargs.items():
            self[key] = self.get(key, 0) - count

    def most_common(self, n=None):
        items = sorted(self.items(), key=lambda item: item[1], reverse=True)
        return items if n is None else items[:n]

    def elements(self):
        for key, count in self.items():
            for _ in range(count):
                yield key

    def total(self):
        return sum(self.values())

    def copy(self):
        return Counter(self)

    def __add__(self, other):
        result = Counter()
        for key, count in self.items():
            if count + other[key] > 0:
                result[key] = count + other[key]
        for key, count in other.items():
            if key not in self and count > 0:
                result[key] = count
        return result

    def __sub__(self, other):
        result = Counter()
        for key, count in self.items():
            if count - other[key] > 0:
                result[key] = count - other[key]
        for key, count in other.items():
            if key not in self and count < 0:
                result[key] = -count
        return result

    def __and__(self, other):
        result = Counter()
        for key, count in self.items():
            least = min(count, other[key])
            if least > 0:
                result[key] = least
        return result

    def __or__(self, other):
        result = Counter()
        for key, count in self.items():
            most = max(count, other[key])
            if most > 0:
                result[key] = most
        for key, count in other.items():
            if key not in self and count > 0:
                result[key] = count
        return result

    def __repr__(self):
        if not len(self):
            return 'Counter()'
        return 'Counter({%s})' % ', '.join('%r: %r' % pair for pair in self.most_common())


class deque:
    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None and maxlen < 0:
            raise ValueError('maxlen must be non-negative')
        self._items = []
        self.maxlen = maxlen
        self.extend(iterable)

    def __reduce__(self):
        arguments = () if self.maxlen is None else ((), self.maxlen)
        return self.__class__, arguments, None, iter(self._items)

    def append(self, item):
        self._items.append(item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            del self._items[0]

    def appendleft(self, item):
        self._items.insert(0, item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()

    def extend(self, iterable):
        for item in list(iterable) if iterable is self else iterable:
            self.append(item)

    def extendleft(self, iterable):
        for item in list(iterable) if iterable is self else iterable:
            self.appendleft(item)

    def pop(self):
        if not self._items:
            raise IndexError('pop from an empty deque')
        return self._items.pop()

    def popleft(self):
        if not self._items:
            raise IndexError('pop from an empty deque')
        return self._items.pop(0)

    def rotate(self, n=1):
        if self._items:
            n %= len(self._items)
            self._items = self._items[-n:] + self._items[:-n] if n else self._items

    def clear(self):
        self._items = []

    def copy(self):
        return deque(self._items, self.maxlen)

    def count(self, item):
        return self._items.count(item)

    def index(self, item, *bounds):
        return self._items.index(item, *bounds)

    def insert(self, index, item):
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError('deque already at its maximum size')
        self._items.insert(index, item)

    def remove(self, item):
        if item not in self._items:
            raise ValueError('deque.remove(x): x not in deque')
        self._items.remove(item)

    def reverse(self):
        self._items.reverse()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __reversed__(self):
        return reversed(self._items)

    def __contains__(self, item):
        return item in self._items

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        if not -len(self._items) <= index < len(self._items):
            raise IndexError('deque index out of range')
        return self._items[index]

    def __setitem__(self, index, value):
        self._items[index] = value

    def __delitem__(self, index):
        del self._items[index]

    def __eq__(self, other):
        return isinstance(other, deque) and self._items == other._items

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __add__(self, other):
        return deque(self._items + other._items, self.maxlen)

    def __repr__(self):
        if self.maxlen is None:
            return 'deque(%r)' % (self._items,)
        return 'deque(%r, maxlen=%d)' % (self._items, self.maxlen)


class UserDict:
    def __init__(self, dict=None, **kwargs):
        self.data = {}
        self.update(dict or {}, **kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self.__class__, '__missing__'):
            return self.__class__.__missing__(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def __repr__(self):
        return repr(self.data)

    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, UserDict) else other)

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def get(self, key, default=None):
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key, *default):
        if key in self:
            value = self[key]
            del self[key]
            return value
        if default:
            return default[0]
        raise KeyError(key)

    def update(self, other=(), **kwargs):
        for key, value in (other.items() if hasattr(other, 'items') else other):
            self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def copy(self):
        out = self.__class__()
        out.data = self.data.copy()
        return out

    def clear(self):
        self.data.clear()


class UserList:
    def __init__(self, initlist=None):
        self.data = list(initlist or [])

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.__class__(self.data[i]) if isinstance(i, slice) else self.data[i]

    def __setitem__(self, i, item):
        self.data[i] = item

    def __delitem__(self, i):
        del self.data[i]

    def __contains__(self, item):
        return item in self.data

    def __repr__(self):
        return repr(self.data)

    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, UserList) else other)

    def __add__(self, other):
        return self.__class__(self.data + list(other))

    def append(self, item):
        self.data.append(item)

    def insert(self, i, item):
        self.data.insert(i, item)

    def pop(self, i=-1):
        return self.data.pop(i)

    def extend(self, other):
        self.data.extend(other)

    def index(self, item):
        return self.data.index(item)

    def sort(self, **kwargs):
        self.data.sort(**kwargs)


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __contains__(self, key):
        return any(key in mapping for mapping in self.maps)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def keys(self):
        merged = {}
        for mapping in reversed(self.maps):
            merged.update(mapping)
        return merged.keys()

    def items(self):
        return [(key, self[key]) for key in self.keys()]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())
