# SPDX-License-Identifier: Apache-2.0
def is_available():
    return False


def is_built():
    return False


def is_macos13_or_newer():
    return False


def is_macos_or_newer(major, minor):
    return False
