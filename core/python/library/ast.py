# SPDX-License-Identifier: Apache-2.0
def literal_eval(text):
    reader = _Literal(text.strip())
    value = reader.value()
    reader.space()
    if reader.at != len(reader.text):
        reader.fail()
    return value


class _Literal:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def fail(self):
        raise ValueError('malformed node or string: %r' % self.text)

    def space(self):
        while self.text[self.at:self.at + 1].isspace():
            self.at += 1
        return self.text[self.at:self.at + 1]

    def take(self, c):
        if self.space() == c and c:
            self.at += 1
            return True
        return False

    def value(self):
        c = self.space()
        if c == '(' or c == '[':
            self.at += 1
            parts, has_comma = self.parts(')' if c == '(' else ']')
            if c == '[':
                return parts
            return tuple(parts) if has_comma or not parts else parts[0]
        if c == '{':
            self.at += 1
            return self.braces()
        if c and c in '"\'':
            return self.string(c)
        return self.word()

    def parts(self, end):
        out, has_comma = [], False
        while not self.take(end):
            out.append(self.value())
            if self.take(','):
                has_comma = True
            elif self.space() != end:
                self.fail()
        return out, has_comma

    def braces(self):
        out, values = {}, []
        while not self.take('}'):
            key = self.value()
            if self.take(':'):
                out[key] = self.value()
            else:
                values.append(key)
            if not self.take(',') and self.space() != '}':
                self.fail()
        return set(values) if values else out

    def string(self, quote):
        escapes = {'n': '\n', 't': '\t', '\\': '\\', quote: quote}
        out = ''
        self.at += 1
        while self.text[self.at:self.at + 1] != quote:
            c = self.text[self.at:self.at + 1]
            if not c:
                self.fail()
            if c == '\\':
                self.at += 1
                c = escapes.get(self.text[self.at:self.at + 1], c)
            out += c
            self.at += 1
        self.at += 1
        return out

    def word(self):
        begin = self.at
        while self.text[self.at:self.at + 1].isalnum() or self.text[self.at:self.at + 1] in ('.', '_', '+', '-'):
            self.at += 1
        word = self.text[begin:self.at]
        if word in ('True', 'False', 'None'):
            return {'True': True, 'False': False, 'None': None}[word]
        if not word.lstrip('+-')[:1].isdigit() and not word.lstrip('+-').startswith('.'):
            self.fail()
        try:
            return int(word, 0)
        except ValueError:
            pass
        try:
            return float(word)
        except ValueError:
            self.fail()
