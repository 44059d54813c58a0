# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import collections
import math as m
import os
import os.path as osp
import string
import sys
import time
import types
import warnings
from collections.abc import Mapping
from os.path import basename, join
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nowhere import Nothing


class Later:
    x: Nothing = 5
    y: list[Undefined] = None

    def f(self, a: AlsoUndefined) -> Nope:
        return a


print(Later().f(3), Later.__annotations__)
print(m.sqrt(16), join('a', 'b', 'c.txt'), basename('/x/y.py'), osp.splitext('net.pt'), osp.dirname('/a/b/c'), os.path.join('/r', 'x'))
print(sys.maxsize, sys.version_info[0], sys.byteorder, collections.OrderedDict is not None, m.__name__)
start = time.perf_counter()
print(time.perf_counter() >= start, isinstance(time.time(), float))
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
try:
    import does_not_exist
except ImportError as error:
    print(type(error).__name__, error.args[0][:33])
try:
    from math import no_such_name
except ImportError as error:
    print('cannot import name' in str(error))
try:
    import torchvision_missing
    HAS = True
except ImportError:
    HAS = False
print(HAS, string.ascii_lowercase[:5], string.digits, isinstance({}, Mapping))
ns = types.SimpleNamespace(a=1, b='x')
ns.c = 3
print(ns, ns.a, ns == types.SimpleNamespace(a=1, b='x', c=3))


def lazy():
    import itertools
    from functools import reduce
    return reduce(lambda a, b: a + b, itertools.chain([1], [2, 3]))


print(lazy(), os.environ.get('NOPE_NOT_SET', 'default'), os.getenv('NOPE_NOT_SET'))
print(sys.stdout.write('written\n') and '', end='')
