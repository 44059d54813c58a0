# SPDX-License-Identifier: Apache-2.0
from _file_tools import matches


def fnmatch(name, pattern):
    return matches(name, pattern)


fnmatchcase = fnmatch


def filter(names, pattern):
    return [name for name in names if matches(name, pattern)]
