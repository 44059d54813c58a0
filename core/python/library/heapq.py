# SPDX-License-Identifier: Apache-2.0
def heappush(heap, item):
    heap.append(item)
    _up(heap, 0, len(heap) - 1)


def heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _down(heap, 0)
    return first


def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _down(heap, 0)
    return first


def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _down(heap, 0)
    return item


def heapify(x):
    for i in reversed(range(len(x) // 2)):
        _down(x, i)


def _up(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _down(heap, at):
    # The smaller child goes up to the end, then the item to its place: the order that CPython leaves.
    end, start, item = len(heap), at, heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _up(heap, start, at)


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def merge(*iterables, key=None, reverse=False):
    heads = []  # the key of the next item, the item, and what gives the ones behind it
    for iterator in map(iter, iterables):
        for item in iterator:
            heads.append([item if key is None else key(item), item, iterator])
            break
    while heads:
        at = 0
        for i in range(1, len(heads)):
            if heads[at][0] < heads[i][0] if reverse else heads[i][0] < heads[at][0]:
                at = i
        head = heads[at]
        yield head[1]
        for item in head[2]:
            head[0], head[1] = item if key is None else key(item), item
            break
        else:
            del heads[at]
