# SPDX-License-Identifier: Apache-2.0
import re as _re

ascii_lowercase = 'abcdefghijklmnopqrstuvwxyz'
ascii_uppercase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
ascii_letters = ascii_lowercase + ascii_uppercase
digits = '0123456789'
hexdigits = digits + 'abcdef' + 'ABCDEF'
octdigits = '01234567'
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
whitespace = ' \t\n\r\v\f'
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or ' ').join(word.capitalize() for word in s.split(sep))


class Template:
    delimiter = '$'

    def __init__(self, template):
        self.template = template

    def _filled(self, mapping, values, is_safe):
        known = dict(mapping or {})
        known.update(values)

        def replace(match):
            whole = match.group(0)
            name = match.group(1) or match.group(2)
            if whole == '$$':
                return '$'
            if name is None:
                if is_safe:
                    return whole
                line = self.template.count('\n', 0, match.start()) + 1
                raise ValueError('Invalid placeholder in string: line %d, col %d' % (line, match.start() - self.template.rfind('\n', 0, match.start())))
            if name in known:
                return str(known[name])
            if is_safe:
                return whole
            raise KeyError(name)
        return _re.sub(r'\$\$|\$([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$', replace, self.template)

    def substitute(self, mapping=None, /, **values):
        return self._filled(mapping, values, False)

    def safe_substitute(self, mapping=None, /, **values):
        return self._filled(mapping, values, True)


class Formatter:
    def format(self, format_string, /, *args, **kwargs):
        return format_string.format(*args, **kwargs)

    def vformat(self, format_string, args, kwargs):
        return format_string.format(*args, **kwargs)
