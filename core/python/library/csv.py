# SPDX-License-Identifier: Apache-2.0
QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = range(4)


class Error(Exception):
    pass


class Dialect:
    delimiter = ','
    quotechar = '"'
    doublequote = True
    skipinitialspace = False
    lineterminator = '\r\n'
    quoting = QUOTE_MINIMAL
    escapechar = None
    strict = False


class excel(Dialect):
    pass


class excel_tab(excel):
    delimiter = '\t'


class unix_dialect(Dialect):
    lineterminator = '\n'
    quoting = QUOTE_ALL


_dialects = {'excel': excel, 'excel-tab': excel_tab, 'unix': unix_dialect}


def list_dialects():
    return list(_dialects)


def get_dialect(name):
    if name not in _dialects:
        raise Error('unknown dialect')
    return _dialects[name]


def _dialect(dialect, options):
    base = get_dialect(dialect) if isinstance(dialect, str) else dialect
    made = Dialect()
    for name in ('delimiter', 'quotechar', 'doublequote', 'skipinitialspace', 'lineterminator', 'quoting', 'escapechar', 'strict'):
        setattr(made, name, options.pop(name) if name in options else getattr(base, name, getattr(Dialect, name)))
    if options:
        raise TypeError("'%s' is an invalid keyword argument for this function" % next(iter(options)))
    if not isinstance(made.delimiter, str) or len(made.delimiter) != 1:
        raise TypeError('"delimiter" must be a 1-character string')
    return made


class _Reader:
    def __init__(self, lines, dialect):
        self._lines = iter(lines)
        self.dialect = dialect
        self.line_num = 0

    def __iter__(self):
        return self

    def _value(self, text, was_quoted):
        return float(text) if self.dialect.quoting == QUOTE_NONNUMERIC and not was_quoted else text

    def __next__(self):
        d = self.dialect
        line = next(self._lines)
        self.line_num += 1
        if (d.quotechar is None or d.quotechar not in line) and d.escapechar is None:
            line = line.rstrip('\r\n')
            if not line:
                return []
            parts = line.split(d.delimiter)
            if d.skipinitialspace:
                parts = [part.lstrip(' ') for part in parts]
            return [self._value(part, False) for part in parts]
        row, text, is_quoted, was_quoted, starts = [], [], False, False, True
        while True:
            i = 0
            while i < len(line):
                c = line[i]
                if c == d.escapechar and c is not None and i + 1 < len(line):
                    i += 1
                    text.append(line[i])
                    starts = False
                elif is_quoted:
                    if c == d.quotechar:
                        if d.doublequote and line[i + 1:i + 2] == d.quotechar:
                            text.append(c)
                            i += 1
                        else:
                            is_quoted = False
                    else:
                        text.append(c)
                elif c == d.quotechar and starts and d.quoting != QUOTE_NONE:
                    is_quoted = was_quoted = True
                    starts = False
                elif c == d.delimiter:
                    row.append(self._value(''.join(text), was_quoted))
                    text, was_quoted, starts = [], False, True
                elif c == '\n' or c == '\r':
                    pass
                elif c == ' ' and d.skipinitialspace and starts:
                    pass
                else:
                    text.append(c)
                    starts = False
                i += 1
            if not is_quoted:
                row.append(self._value(''.join(text), was_quoted))
                return row
            try:
                line = next(self._lines)
            except StopIteration:
                row.append(''.join(text))
                return row
            self.line_num += 1


def reader(csvfile, dialect='excel', **options):
    return _Reader(csvfile, _dialect(dialect, options))


class _Writer:
    def __init__(self, file, dialect):
        self._file = file
        self.dialect = dialect

    def _field(self, value, is_only):
        d = self.dialect
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = '' if value is None else repr(value) if isinstance(value, float) else str(value)
        special = any(c in text for c in (d.delimiter, d.quotechar or '', '\n', '\r') if c) or (is_only and not text) or (text[:1] == ' ' and d.skipinitialspace)
        if d.quoting == QUOTE_NONE:
            if special and d.escapechar is None:
                raise Error('need to escape, but no escapechar set')
            return ''.join(d.escapechar + c if c in (d.delimiter, d.escapechar) else c for c in text) if d.escapechar else text
        if d.quoting == QUOTE_ALL or (d.quoting == QUOTE_NONNUMERIC and not is_number) or special:
            return d.quotechar + text.replace(d.quotechar, d.quotechar * 2) + d.quotechar
        return text

    def writerow(self, row):
        row = list(row)
        return self._file.write(self.dialect.delimiter.join(self._field(value, len(row) == 1) for value in row) + self.dialect.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


def writer(csvfile, dialect='excel', **options):
    return _Writer(csvfile, _dialect(dialect, options))


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect='excel', *args, **options):
        self._fieldnames = fieldnames
        self.restkey = restkey
        self.restval = restval
        self.reader = reader(f, dialect, **options)

    @property
    def line_num(self):
        return self.reader.line_num

    @property
    def fieldnames(self):
        if self._fieldnames is None:
            try:
                self._fieldnames = next(self.reader)
            except StopIteration:
                pass
        return self._fieldnames

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while row == []:
            row = next(self.reader)
        out = dict(zip(names, row))
        if len(names) < len(row):
            out[self.restkey] = row[len(names):]
        for name in names[len(row):]:
            out[name] = self.restval
        return out


class DictWriter:
    def __init__(self, f, fieldnames, restval='', extrasaction='raise', dialect='excel', *args, **options):
        self.fieldnames = fieldnames
        self.restval = restval
        self.extrasaction = extrasaction
        self.writer = writer(f, dialect, **options)

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, row):
        if self.extrasaction == 'raise':
            wrong = [name for name in row if name not in self.fieldnames]
            if wrong:
                raise ValueError('dict contains fields not in fieldnames: ' + ', '.join([repr(x) for x in wrong]))
        return self.writer.writerow([row.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)
