# SPDX-License-Identifier: Apache-2.0
from PIL.Image import _refuse


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    return _refuse
