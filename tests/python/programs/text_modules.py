import bisect, datetime, heapq, logging, pprint, re, textwrap
logging.basicConfig(level=logging.INFO, format='%(levelname)s %(message)s')
log = logging.getLogger(__name__); log.info('x %d', 3)
print(re.sub(r'(\w+) (\w+)', r'\2 \1', 'hello world'), re.findall(r'\d+', 'a1b22'), re.split(r'[,\s]+', 'a, b c'), re.match(r'(?P<k>\w+)=(?P<v>.*)', 'lr=0.1').groupdict())
m = re.search(r'layer(\d+)\.(\d+)', 'net.layer3.12.w'); print(m.group(0), m.groups(), m.start(), m.end(), m.span(1), m[1])
pat = re.compile(r'^block\.(\d+)', re.I); print(bool(pat.match('Block.3')), pat.pattern, [x.group() for x in re.finditer('a.', 'abacad')])
print(re.sub('a', lambda m: m.group().upper() * 2, 'banana', count=2), re.escape('a.b'), re.fullmatch('a+', 'aab'))
print(textwrap.dedent('''
   a
     b
'''), bisect.bisect([1,3,5], 3))
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0); print(heapq.heappop(h), heapq.nlargest(2, h), heapq.nsmallest(1, h))
pprint.pprint({'a': 1, 'b': [1, 2]})
print(datetime.timedelta(seconds=3700))
print(isinstance(datetime.datetime.now().year, int))
