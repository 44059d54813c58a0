# SPDX-License-Identifier: Apache-2.0
_fastpath = True


def get_fastpath_enabled():
    return _fastpath


def set_fastpath_enabled(value):
    global _fastpath
    _fastpath = value
