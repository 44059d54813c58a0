import json
import time

for bad in ('"\\u12"', '"\\u-123"', '[', '{"a":', '"abc', '"a\nb"', '1 2', '-', '01', '{a:1}', '[1,2', '[1 2]', '"\\', '{"a":1', '1.', '"é" x', '[1,\n é]'):
    try:
        print(repr(bad), repr(json.loads(bad)))
    except json.JSONDecodeError as e:
        print(repr(bad), '|', e, e.pos, e.lineno, e.colno)
print(json.loads('"\\ud83d\\ude00 \\u00e9 \\/ \\b\\f\\t"') == '\U0001F600 é / \b\f\t')
print(json.loads(' [1e999, -1e999, 1e-999, 123456789012345678901234567890, -9223372036854775808, 0.1, 1E5, -0] '))
print(json.loads('[NaN, Infinity, -Infinity]'), json.loads('{"a": 1, "a": 2, "": 3}'))
print(json.loads('{"a": {"b": 1}, "c": [{}]}', object_hook=lambda d: sorted(d)))
print(json.loads('{"a": {"b": 1}, "a": 2}', object_pairs_hook=list))
print(json.loads('[1.50, 7, NaN]', parse_float=str, parse_int=lambda s: s + '!', parse_constant=lambda s: 'a ' + s))
print(json.dumps('\x7f\x80é\u20ac\U0001F600"\\\x01/'), json.dumps('\x7fé"\n', ensure_ascii=False))
try:
    json.loads('[' * 5000 + ']' * 5000)
except RecursionError as e:
    print(type(e).__name__)
try:
    json.loads('9' * 5000)
except ValueError as e:
    print(type(e).__name__, str(e)[:24])

# What a model of 20,000 classes has in its config.
labels = {'id2label': {str(i): 'label %d, of a longer name' % i for i in range(20000)}}
start = time.time()
text = json.dumps(labels)
print(len(text), json.loads(text) == labels, time.time() - start < 20)
start = time.time()
print(sum(text.startswith('label', i) for i in range(0, len(text), 60)), text.find('label 9', len(text) - 60), time.time() - start < 20)
for s in ('aéb€c\U0001F600dé', 'abcdef'):
    print([s.find('é', i) for i in range(-9, 9)], [s.startswith('b', i, j) for i in range(4) for j in range(4)], s.count('c', 2, 5), s.rfind('d', 1))
print(len('\xe9'), '\xe9', ord('\xe9'), '\xe9' == 'é', b'\xe9', '\351', '\u00e9', f'\xe9{1}', '\x41\101')
