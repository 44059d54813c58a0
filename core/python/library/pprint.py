# SPDX-License-Identifier: Apache-2.0
def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return _format(object, indent, width, 0, 0, sort_dicts)


def _plain(o, sort_dicts):
    if type(o) is dict:
        items = _items(o, sort_dicts)
        return '{' + ', '.join(_plain(k, sort_dicts) + ': ' + _plain(v, sort_dicts) for k, v in items) + '}'
    if type(o) in (list, tuple):
        inner = ', '.join(_plain(v, sort_dicts) for v in o)
        return '[' + inner + ']' if type(o) is list else '(' + inner + (',)' if len(o) == 1 else ')')
    return repr(o)


def _items(o, sort_dicts):
    if not sort_dicts:
        return list(o.items())
    try:
        return sorted(o.items(), key=lambda item: item[0])
    except TypeError:
        return sorted(o.items(), key=lambda item: (str(type(item[0])), str(item[0])))


def _format(o, indent, width, column, behind, sort_dicts):
    text = _plain(o, sort_dicts)
    if len(text) <= width - column - behind or type(o) not in (dict, list, tuple) or not o:
        return text
    pad = ' ' * (column + indent)
    extra = ' ' * (indent - 1)
    parts = []
    if type(o) is dict:
        items = _items(o, sort_dicts)
        for i, (k, v) in enumerate(items):
            key = _plain(k, sort_dicts) + ': '
            last = behind + 1 if i == len(items) - 1 else 1
            parts.append(key + _format(v, indent, width, column + indent + len(key), last, sort_dicts))
        return '{' + extra + (',\n' + pad).join(parts) + '}'
    for i, v in enumerate(o):
        parts.append(_format(v, indent, width, column + indent, behind + 1 if i == len(o) - 1 else 1, sort_dicts))
    inner = extra + (',\n' + pad).join(parts)
    return '[' + inner + ']' if type(o) is list else '(' + inner + (',)' if len(o) == 1 else ')')


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    print(pformat(object, indent, width, sort_dicts=sort_dicts), file=stream)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)
