# SPDX-License-Identifier: Apache-2.0
from collections import namedtuple

ParseResult = namedtuple('ParseResult', 'scheme netloc path params query fragment')
SplitResult = namedtuple('SplitResult', 'scheme netloc path query fragment')
_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~'


def urlsplit(url, scheme='', allow_fragments=True):
    fragment = query = netloc = ''
    colon = url.find(':')
    if colon > 0 and url[:colon].replace('+', '').replace('-', '').replace('.', '').isalnum() and url[0].isalpha():
        scheme, url = url[:colon].lower(), url[colon + 1:]
    if url.startswith('//'):
        end = min([at for at in (url.find(c, 2) for c in '/?#') if at >= 0], default=len(url))
        netloc, url = url[2:end], url[end:]
    if allow_fragments and '#' in url:
        url, fragment = url.split('#', 1)
    if '?' in url:
        url, query = url.split('?', 1)
    return SplitResult(scheme, netloc, url, query, fragment)


def urlparse(url, scheme='', allow_fragments=True):
    split = urlsplit(url, scheme, allow_fragments)
    path, params = split.path, ''
    if ';' in path.rsplit('/', 1)[-1]:
        at = path.index(';', path.rfind('/') + 1)
        path, params = path[:at], path[at + 1:]
    return ParseResult(split.scheme, split.netloc, path, params, split.query, split.fragment)


def urlunsplit(parts):
    scheme, netloc, path, query, fragment = parts
    url = path
    if netloc:
        url = '//' + netloc + (url if not url or url.startswith('/') else '/' + url)
    if scheme:
        url = scheme + ':' + url
    return url + ('?' + query if query else '') + ('#' + fragment if fragment else '')


def urlunparse(parts):
    scheme, netloc, path, params, query, fragment = parts
    return urlunsplit((scheme, netloc, path + (';' + params if params else ''), query, fragment))


def urljoin(base, url, allow_fragments=True):
    if '://' in url:
        return url
    parts = urlsplit(base)
    path = url if url.startswith('/') else parts.path.rsplit('/', 1)[0] + '/' + url
    return urlunsplit((parts.scheme, parts.netloc, path, '', ''))


def quote(string, safe='/', encoding=None, errors=None):
    data = string.encode('utf-8') if isinstance(string, str) else string
    return ''.join(chr(byte) if chr(byte) in _SAFE + safe else '%%%02X' % byte for byte in data)


def quote_plus(string, safe=''):
    return quote(string, safe + ' ').replace(' ', '+')


def unquote(string):
    data = string.encode('utf-8')
    out = []
    i = 0
    while i < len(data):
        if data[i] == 37 and i + 2 < len(data):
            out.append(int(data[i + 1:i + 3].decode('ascii'), 16))
            i += 3
        else:
            out.append(data[i])
            i += 1
    return bytes(out).decode('utf-8')


def unquote_plus(string):
    return unquote(string.replace('+', ' '))


def urlencode(query, doseq=False):
    pairs = query.items() if hasattr(query, 'items') else query
    return '&'.join(quote_plus(str(key)) + '=' + quote_plus(str(value)) for key, value in pairs)
