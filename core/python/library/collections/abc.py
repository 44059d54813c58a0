# SPDX-License-Identifier: Apache-2.0
from typing import (Iterable, Iterator, Generator, Sequence, Mapping, MutableMapping, MutableSequence, Callable,
                    Hashable, Collection)
Set = set
Sized = Iterable
