# SPDX-License-Identifier: Apache-2.0
"""Configuration and registries, as training scripts have them."""
import copy
from collections import OrderedDict, defaultdict
from functools import partial, wraps

REGISTRY = {}


def register(name=None, **defaults):
    def decorator(obj):
        key = name or obj.__name__.lower()
        if key in REGISTRY:
            raise KeyError(f'{key} is already registered')
        REGISTRY[key] = (obj, defaults)
        return obj
    return decorator


@register(features=8)
class Linear:
    def __init__(self, features, bias=True):
        self.features, self.bias = features, bias

    def __repr__(self):
        return f'Linear({self.features}, bias={self.bias})'


@register('act')
def activation(kind='relu'):
    return {'relu': lambda x: max(x, 0), 'neg': lambda x: -x}[kind]


def build(spec):
    if isinstance(spec, str):
        spec = {'type': spec}
    spec = dict(spec)
    cls, defaults = REGISTRY[spec.pop('type')]
    return cls(**{**defaults, **spec})


print(build('linear'), build({'type': 'linear', 'bias': False, 'features': 2}), build({'type': 'act', 'kind': 'neg'})(5))
try:
    register('act')(int)
except KeyError as error:
    print(error)


class Config(dict):
    """A dict with attributes, nested."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        for key, value in dict(*args, **kwargs).items():
            self[key] = Config(value) if isinstance(value, dict) else value

    __getattr__ = dict.get

    def merge(self, other):
        for key, value in other.items():
            if isinstance(value, dict) and isinstance(self.get(key), Config):
                self[key].merge(value)
            else:
                self[key] = Config(value) if isinstance(value, dict) else value
        return self

    def flatten(self, prefix=''):
        for key, value in self.items():
            path = f'{prefix}{key}'
            if isinstance(value, Config):
                yield from value.flatten(path + '.')
            else:
                yield path, value


base = Config(model={'depth': 2, 'act': 'relu', 'head': {'classes': 10}}, lr=1e-3, tags=['a'])
override = {'model': {'depth': 4, 'head': {'dropout': 0.5}}, 'lr': 0.01}
merged = copy.deepcopy(base).merge(override)
print(merged.model.head.classes, merged.lr, merged.missing, base.model.depth)
for path, value in merged.flatten():
    print(f'  {path:<20} = {value!r}')


def parse_args(args):
    out = defaultdict(list)
    it = iter(args)
    for arg in it:
        if arg.startswith('--'):
            key, eq, value = arg[2:].partition('=')
            out[key].append(value if eq else next(it, None))
        else:
            out['_'].append(arg)
    return {k: v[0] if len(v) == 1 else v for k, v in out.items()}


print(parse_args(['run', '--lr=0.1', '--tag', 'x', '--tag', 'y', '--last']))


def schedule(kind, **options):
    def constant(step, lr):
        return lr

    def linear(step, lr, total=10):
        return lr * (1 - step / total)

    def stepped(step, lr, every=3, gamma=0.5):
        return lr * gamma ** (step // every)

    return partial(locals()[kind], **options)


for kind, options in [('constant', {}), ('linear', {'total': 5}), ('stepped', {'gamma': 0.1})]:
    f = schedule(kind, **options)
    print(kind, [round(f(s, 1.0), 4) for s in range(5)])


def retry(times, exceptions=(Exception,)):
    def decorator(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            last = None
            for attempt in range(1, times + 1):
                try:
                    return function(*args, attempt=attempt, **kwargs)
                except exceptions as error:
                    last = error
                    print(f'{function.__name__} attempt {attempt} failed: {error}')
            raise RuntimeError(f'gave up after {times}') from last
        return wrapper
    return decorator


@retry(3, (ValueError,))
def flaky(limit, *, attempt):
    if attempt < limit:
        raise ValueError(f'need {limit}')
    return f'ok at {attempt}'


print(flaky(2))
try:
    flaky(9)
except RuntimeError as error:
    print(error, '<-', error.__cause__)


class Hooks:
    def __init__(self):
        self._hooks = OrderedDict()
        self._next = 0

    def add(self, hook):
        key = self._next
        self._hooks[key] = hook
        self._next += 1

        class Handle:
            def remove(handle):
                self._hooks.pop(key, None)

            def __enter__(handle):
                return handle

            def __exit__(handle, *details):
                handle.remove()
        return Handle()

    def fire(self, value):
        for hook in self._hooks.values():
            result = hook(value)
            value = value if result is None else result
        return value


hooks = Hooks()
seen = []
first = hooks.add(lambda v: v + 1)
hooks.add(seen.append)
with hooks.add(lambda v: v * 10):
    print(hooks.fire(1))
print(hooks.fire(1), seen)
first.remove()
print(hooks.fire(1), seen, len(hooks._hooks))
