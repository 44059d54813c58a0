# SPDX-License-Identifier: Apache-2.0
def dedent(text):
    lines = [line if line.strip() else '' for line in text.split('\n')]
    margin = None
    for line in lines:
        if not line:
            continue
        indent = line[:len(line) - len(line.lstrip(' \t'))]
        if margin is None:
            margin = indent
        while not indent.startswith(margin):
            margin = margin[:-1]
    cut = len(margin or '')
    return '\n'.join(line[cut:] for line in lines)


def indent(text, prefix, predicate=None):
    return ''.join(prefix + line if (predicate or str.strip)(line) else line for line in text.splitlines(True))


def wrap(text, width=70, initial_indent='', subsequent_indent='', **kwargs):
    lines, line = [], initial_indent
    has_word = False
    for word in text.split():
        while not has_word and len(line) + len(word) > width > len(line):
            cut = width - len(line)
            lines.append(line + word[:cut])
            word, line = word[cut:], subsequent_indent
        if has_word and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, has_word = subsequent_indent, False
        line += (' ' if has_word else '') + word
        has_word = True
    return lines + [line] if has_word else lines


def fill(text, width=70, **kwargs):
    return '\n'.join(wrap(text, width, **kwargs))


def shorten(text, width, placeholder=' [...]', **kwargs):
    text = ' '.join(text.split())
    if len(text) <= width:
        return text
    words = text.split()
    while words and len(' '.join(words)) + len(placeholder) > width:
        words.pop()
    return ' '.join(words) + placeholder if words else placeholder.strip()
