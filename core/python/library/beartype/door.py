# SPDX-License-Identifier: Apache-2.0
def is_bearable(obj, hint, **kwargs):
    try:
        return isinstance(obj, hint)
    except TypeError:
        return True


def die_if_unbearable(obj, hint, **kwargs):
    if not is_bearable(obj, hint):
        raise TypeError(f"{obj!r} is not {hint}")
