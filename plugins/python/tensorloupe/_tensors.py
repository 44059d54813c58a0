# SPDX-License-Identifier: Apache-2.0
"""The tensors in arguments and results, and the arguments that are none, as text.

Only containers of Python's own are walked, by their own methods: a program's classes are not called.
"""

import itertools

import torch

_LONGEST_ARGUMENT = 80  # characters
_MOST_ITEMS = 40  # of a list in an argument's text
_PLAIN = (bool, int, float, complex, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)


def tensors_in(value):
    """All tensors of a result, in lists, tuples and dictionaries too; one that holds itself is walked once."""
    if isinstance(value, torch.Tensor):
        return [value]
    found, seen, left = [], set(), [value]
    while left:
        value = left.pop()
        if isinstance(value, torch.Tensor):
            found.append(value)
            continue
        if isinstance(value, list):
            items = list.__iter__(value)
        elif isinstance(value, tuple):
            items = tuple.__iter__(value)
        elif isinstance(value, dict):
            items = dict.values(value)
        else:
            continue
        if id(value) not in seen:
            seen.add(id(value))
            left.extend(reversed(list(items)))
    return found


def tensors_of_call(arguments, keywords):
    """(name or position, tensor) of all tensors, also in lists."""
    for key, argument in itertools.chain(enumerate(arguments), keywords.items()):
        if isinstance(argument, torch.Tensor):
            yield key, argument
        elif isinstance(argument, (list, tuple)):
            for each in tensors_in(argument):
                yield key, each


def _item(value):
    # Of a class of the program's the name: its __repr__ is not called.
    return repr(value) if type(value) in _PLAIN else f"<{type(value).__name__}>"


def text_of(value):
    """None for what is, or holds, a tensor."""
    if isinstance(value, torch.Tensor):
        return None
    if type(value) in (list, tuple):
        if any(isinstance(each, torch.Tensor) for each in value):
            return None
        more = ", ..." if len(value) > _MOST_ITEMS else ""
        text = f"[{', '.join(_item(each) for each in value[:_MOST_ITEMS])}{more}]"
    else:
        text = _item(value)
    return text if len(text) <= _LONGEST_ARGUMENT else text[: _LONGEST_ARGUMENT - 3] + "..."
