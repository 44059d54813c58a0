# SPDX-License-Identifier: Apache-2.0
import os


def walk(top, topdown=True):
    folders, files = [], []
    try:
        names = os.listdir(top)
    except OSError:
        return
    for name in names:
        (folders if os.path.isdir(os.path.join(top, name)) else files).append(name)
    if topdown:
        yield os.fspath(top), folders, files
    for name in folders:
        yield from walk(os.path.join(top, name), topdown)
    if not topdown:
        yield os.fspath(top), folders, files


def matches(name, pattern):
    # Where a star last began, to go on from there.
    at = star = -1
    i = j = 0
    while i < len(name):
        if j < len(pattern) and pattern[j] == '*':
            star, at = j, i
            j += 1
            continue
        step = _match_one(name[i], pattern, j) if j < len(pattern) else 0
        if step:
            i += 1
            j += step
        elif star >= 0:
            at += 1
            i, j = at, star + 1
        else:
            return False
    while j < len(pattern) and pattern[j] == '*':
        j += 1
    return j == len(pattern)


def _match_one(c, pattern, j):
    if pattern[j] == '?':
        return 1
    end = pattern.find(']', j + 2)
    if pattern[j] != '[' or end < 0:
        return 1 if pattern[j] == c else 0
    inside = pattern[j + 1:end]
    negated = inside[0] in '!^'
    if negated:
        inside = inside[1:]
    found = False
    k = 0
    while k < len(inside):
        if k + 2 < len(inside) and inside[k + 1] == '-':
            found = found or inside[k] <= c <= inside[k + 2]
            k += 3
        else:
            found = found or inside[k] == c
            k += 1
    return end + 1 - j if found != negated else 0


def find(pattern, recursive=False):
    head, tail = os.path.split(pattern)
    if not any(c in pattern for c in '*?['):
        return [pattern] if os.path.exists(pattern) else []
    if head and any(c in head for c in '*?['):
        heads = find(head, recursive)
    else:
        heads = [head]
    out = []
    for folder in heads:
        if not os.path.isdir(folder or '.'):
            continue
        if tail == '**' and recursive:
            out.extend(root for root, _, _ in walk(folder))
        elif any(c in tail for c in '*?['):
            for name in os.listdir(folder or '.'):
                if (not name.startswith('.') or tail.startswith('.')) and matches(name, tail):
                    out.append(os.path.join(folder, name))
        elif os.path.exists(os.path.join(folder, tail)):
            out.append(os.path.join(folder, tail))
    return out
