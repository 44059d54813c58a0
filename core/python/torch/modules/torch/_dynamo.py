# SPDX-License-Identifier: Apache-2.0
def reset():
    pass


def disable(fn=None, recursive=True):
    return (lambda f: f) if fn is None else fn
