def f(x):
    match x:
        case 0 | 1: return 'small'
        case int(n) if n > 100: return f'big {n}'
        case int(): return 'int'
        case 'a' | 'b' as s: return s * 2
        case str(): return 'str'
        case [1, 2, *rest]: return rest
        case [a, b]: return (a, b)
        case (): return 'empty'
        case {'kind': 'x', **kw}: return kw
        case {'k': [p, q]}: return p + q
        case None: return 'none'
        case -1.5: return 'neg'
        case _: return 'other'
for v in (0, 1, 5, 500, 'a', 'zz', [1,2,3,4], [5,6], (), {'kind': 'x', 'z': 2}, {'k': (1, 2)}, None, -1.5, 3.2, {1}):
    print(repr(v), f(v))
class Point:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
import enum
class Color(enum.Enum):
    RED = 1
    BLUE = 2
def g(p):
    match p:
        case Point(0, 0): return 'origin'
        case Point(x=0, y=y): return f'y={y}'
        case Point(x, y) if x == y: return 'diag'
        case Point(): return 'pt'
        case Color.RED: return 'red'
        case Color.BLUE: return 'blue'
for v in (Point(0,0), Point(0,3), Point(2,2), Point(1,2), Color.RED, Color.BLUE, 4): print(g(v))
match = 3
print(match + 1)
case = [1]
print(case[0])
match (1, 2):
    case (a, b):
        print(a, b)
