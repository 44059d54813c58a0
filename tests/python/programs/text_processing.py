# SPDX-License-Identifier: Apache-2.0
text = """the quick brown fox
jumps over the lazy dog
the end"""
words = text.split()
freq = {}
for w in words:
    freq[w] = freq.get(w, 0) + 1
for w, c in sorted(freq.items(), key=lambda kv: (-kv[1], kv[0]))[:3]:
    print(f'{w:<8}{c:>3}')
print([line.title() for line in text.splitlines()], max(words, key=len), len(set(words)))


def caesar(s, shift):
    out = []
    for ch in s:
        if ch.isalpha():
            base = ord('A') if ch.isupper() else ord('a')
            out.append(chr((ord(ch) - base + shift) % 26 + base))
        else:
            out.append(ch)
    return ''.join(out)


print(caesar('Hello, World!', 3), caesar(caesar('Hello, World!', 3), -3))


def tokenize(expression):
    i, tokens = 0, []
    while i < len(expression):
        ch = expression[i]
        if ch.isspace():
            i += 1
        elif ch.isdigit():
            j = i
            while j < len(expression) and (expression[j].isdigit() or expression[j] == '.'):
                j += 1
            tokens.append(('num', float(expression[i:j])))
            i = j
        else:
            tokens.append(('op', ch))
            i += 1
    return tokens


class Parser:
    def __init__(self, text):
        self.tokens = tokenize(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ('end', None)

    def take(self, value=None):
        kind, got = self.peek()
        if value is not None and got != value:
            raise SyntaxError(f'expected {value!r}, got {got!r}')
        self.at += 1
        return got

    def expr(self):
        value = self.term()
        while self.peek()[1] in ('+', '-'):
            value = value + self.term() if self.take() == '+' else value - self.term()
        return value

    def term(self):
        value = self.factor()
        while self.peek()[1] in ('*', '/'):
            value = value * self.factor() if self.take() == '*' else value / self.factor()
        return value

    def factor(self):
        if self.peek()[1] == '(':
            self.take('(')
            value = self.expr()
            self.take(')')
            return value
        if self.peek()[1] == '-':
            self.take()
            return -self.factor()
        return self.take()


for source in ('1 + 2 * 3', '(1 + 2) * 3 - 4 / 2', '-(2.5 * 2)', '((1'):
    try:
        print(source, '=', Parser(source).expr())
    except (SyntaxError, TypeError) as error:
        print(source, 'fails:', type(error).__name__, error)


def roman(n):
    out = ''
    for value, letters in ((1000, 'M'), (900, 'CM'), (500, 'D'), (400, 'CD'), (100, 'C'), (90, 'XC'), (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')):
        count, n = divmod(n, value)
        out += letters * count
    return out


print([roman(n) for n in (1994, 2024, 49, 3999)])
table = [('name', 'size', 'ratio'), ('alpha', 12, 0.5), ('beta', 1234, 0.123456)]
for i, row in enumerate(table):
    if i == 0:
        print(' | '.join(f'{cell:^10}' for cell in row))
        print('-+-'.join('-' * 10 for _ in row))
    else:
        print(f'{row[0]:<10} | {row[1]:>10,} | {row[2]:>10.2%}')
print('%-10s|%10s|%05.1f' % ('left', 'right', 3.14159), '{:>{w}}'.format('x', w=5), '{a[0]}{b.imag}'.format(a=[1], b=2j))
config = 'lr=0.1; layers=3; name=net ; debug'
parsed = {}
for part in config.split(';'):
    key, _, value = part.strip().partition('=')
    parsed[key.strip()] = int(value) if value.strip().isdigit() else value.strip() or True
print(parsed, '\n'.join(f'{k}: {v!r}' for k, v in parsed.items()), sep='\n')
print('abc'.join('xyz'), 'a,b;c'.replace(';', ',').split(','), ' '.join(reversed('a b c'.split())), 'racecar' == 'racecar'[::-1])
print(''.join(c if c not in 'aeiou' else '*' for c in 'programming language'), sum(map(len, words)), [w[0].upper() + w[1:] for w in words[:3]])
