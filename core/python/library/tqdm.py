# SPDX-License-Identifier: Apache-2.0
# Output that is no terminal gets no bar; what a program reads of one is there.
class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, leave=True, file=None, ncols=None, mininterval=0.1, maxinterval=10.0, miniters=None,
                 ascii=None, disable=False, unit='it', unit_scale=False, dynamic_ncols=False, smoothing=0.3, bar_format=None, initial=0,
                 position=None, postfix=None, unit_divisor=1000, **kwargs):
        if total is None and iterable is not None:
            try:
                total = len(iterable)
            except (TypeError, AttributeError):
                total = None
        self.iterable = iterable
        self.desc = desc + ': ' if desc else ''
        self.total = total
        self.leave = leave
        self.disable = bool(disable)
        self.unit = unit
        self.n = self.initial = initial
        self.postfix = None
        self.pos = position or 0
        self.format_dict = {'n': initial, 'total': total, 'elapsed': 0.0}
        if isinstance(postfix, dict):
            self.set_postfix(postfix)

    def __iter__(self):
        for value in self.iterable:
            yield value
            if not self.disable:
                self.n += 1

    def __len__(self):
        return self.total if self.iterable is None else len(self.iterable)

    def __bool__(self):
        return self.total > 0 if self.total is not None else bool(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def update(self, n=1):
        if not self.disable:
            self.n += n

    def set_description(self, desc=None, refresh=True):
        self.desc = desc + ': ' if desc else ''

    def set_description_str(self, desc=None, refresh=True):
        self.desc = desc or ''

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        values = dict(ordered_dict or {})
        for name in sorted(kwargs):
            values[name] = kwargs[name]
        texts = []
        for name, value in values.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                text = '%.3g' % value
                value = text if len(text) < len(str(value)) else str(value)
            elif not isinstance(value, str):
                value = str(value)
            texts.append(name + '=' + value.strip())
        self.postfix = ', '.join(texts)

    def set_postfix_str(self, s='', refresh=True):
        self.postfix = str(s)

    def refresh(self, *args, **kwargs):
        return True

    def reset(self, total=None):
        self.n = 0
        if total is not None:
            self.total = total

    def clear(self, *args, **kwargs):
        pass

    def close(self):
        self.disable = True

    def display(self, *args, **kwargs):
        pass

    def unpause(self):
        pass

    @classmethod
    def write(cls, s, file=None, end='\n', nolock=False):
        print(s, end=end, file=file) if file is not None else print(s, end=end)


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)


def tqdm_notebook(*args, **kwargs):
    return tqdm(*args, **kwargs)
