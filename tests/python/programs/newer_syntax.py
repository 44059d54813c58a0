# Syntax of Python 3.12: quotes inside f-strings' fields, type parameters, aliases; async functions that are not called.
d = {"a": 1, "b": [1, 2]}
print(f"{d["a"]}, {d['b'][0]:>{4}} {f"{d["b"][1]:03d}"}")
name = "x"
print(f'{name!r:>10}|{{}}|{"}"}|{'{'}')
print(f"{"nested " + f"{"deeper " + f"{1 + 1}"}"}", rf"\{name}", f"{name}\t{'\n'!r}")
k = {"a:b": 7, "}": 8}
print(f"{f"{k["a:b"]}"}", f"{f"{k["}"]:>{f"{2}"}}"}|{"{" if"{"else 0}")
print(f"""{
    d["a"]
    + 1
} {"it's"}""", f'{d["b"]=}', f"{', '.join(str(i) for i in d["b"])}")


async def fetch(x):
    async with x as y:
        async for z in y:
            await z.read()
    return [q async for q in x if await q]


class Stack[T]:
    items: list[T]

    def __init__(self):
        self.items = []

    def push(self, x: T) -> None:
        self.items.append(x)


class Pair[K, V: (int, str)](Stack[K]):
    def both(self):
        return self.items


def first[T](x: list[T]) -> T:
    return x[0]


type Size = tuple[int, int]
type Grid[T] = list[list[T]]
type = 3
print(type + 1)
del type
s = Stack[int]()
s.push(3)
p = Pair[str, int]()
p.push("k")
print(first(s.items), Stack.__name__, hasattr(Stack, "T"), p.both(), isinstance(p, Stack))
print(callable(fetch), fetch.__name__)
