# SPDX-License-Identifier: Apache-2.0
name, n, pi = 'world', 42, 3.14159265
items = [1, 2, 3]
print(f'hello {name}!', f'{n:5d}|{n:<5}|{n:^7}|{n:05}', f'{pi:.3f} {pi:10.2e} {pi:g}')
print(f'{name!r} {name!s} {name!r:>10}', f'{items} {items[0]} {len(items)}')
print(f'{n + 1} {n * 2 if n > 10 else "small"} {[x * x for x in items]} { {"a": 1}["a"] }')
print(f'{n=} {n = } {n + 1=} {name=!s} {pi=:.2f}')
width, precision = 12, 4
print(f'{pi:{width}.{precision}f}|{name:>{width}}|{n:{"0"}{width}}')
print(f'{{literal}} {{{n}}}', f'' == '', f'{"nested " + f"{n}"}')
print(f'{n:,} {1234567.891:,.2f} {255:#x} {255:b} {0.256:.1%} {-5:+d} {5:+d} {5: d}')
print(f'multi {n} '
      f'part {name} ' 'plain {not}')
print(f"""triple {n}
line {name}""")
print(f'{(lambda x: x + 1)(5)} {name.upper()} {name[::-1]} {n != 42} {n == 42}')
print(f'{None} {True} {(1, 2)} {1.0} {1e20} {"x":*>4}', rf'raw\n{n}')


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __format__(self, spec):
        return f'${self.amount:{spec or ".2f"}}'

    def __str__(self):
        return 'money'


print(f'{Money(3.5)} {Money(2):.0f} {Money(1)!s}', format(Money(9), '.1f'), '{:.3f}'.format(Money(1)))
