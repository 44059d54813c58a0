b = bytearray(b'abc')
b.append(100)
b.extend([101, 102])
b += b'gh'
print(b, len(b), b[0], b[-1], b[1:3], bytes(b), isinstance(b, bytes), isinstance(b, bytearray), type(b))
b[0] = 65
b[1:3] = b'XYZ'
del b[-1]
print(b, b.pop(), b.pop(0), b, b == b'XYZdef', b'X' in b, 90 in b)
b.insert(1, 33)
b.reverse()
b.remove(33)
print(b, b.copy() is b, bytearray(3), bytearray([1, 2]), bytearray(b'x') * 3, b'a' + bytearray(b'b'), bytearray(b'a') + b'b')
b.clear()
print(b, bool(b), list(bytearray(b'hi')))
for bad in (lambda: hash(b), lambda: b.append(300), lambda: b.pop(), lambda: bytearray(-1)):
    try:
        bad()
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__, e)
s = b'  one two  two '
print(s.strip(), s.lstrip(), s.rstrip(), s.split(), s.split(None, 1), s.split(b'two'), s.split(b' ', 2))
print(s.replace(b'two', b'2'), s.replace(b'two', b'2', 1), b'abc'.replace(b'', b'-'), s.count(b'two'), s.count(b''))
print(s.find(b'two'), s.rfind(b'two'), s.find(b'two', 8), s.index(b'o'), s.find(111), b'abc'.startswith((b'x', b'a')), b'abc'.endswith(b'c'))
print(b'aB1'.upper(), b'aB1'.lower(), b'12'.isdigit(), b'a1'.isalpha(), b'a1'.isalnum(), b'ab'.ljust(4), b'ab'.rjust(4, b'.'))
print(b','.join([b'a', bytearray(b'b')]), bytearray(b',').join([b'a', b'b']), b'\x00\xff'.hex(), bytes.fromhex('00 ff'), b'caf\xc3\xa9'.decode())
print(slice(None, None, -1).indices(5), slice(1, 10, 2).indices(4), slice(-3, None).indices(5), slice(3, 1).indices(9))
