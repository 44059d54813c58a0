# SPDX-License-Identifier: Apache-2.0
from PIL.Image import _refuse


class _Refused:
    def __init__(self, *args, **kwargs):
        _refuse()


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    return _Refused if name[0].isupper() else _refuse
