# SPDX-License-Identifier: Apache-2.0
import time as _time

MINYEAR, MAXYEAR = 1, 9999
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NAMES = ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday')
_MONTHS = ('January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December')


def _is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_days(year, month):
    return 29 if month == 2 and _is_leap(year) else _DAYS[month - 1]


def _ordinal(year, month, day):
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 + sum(_month_days(year, m) for m in range(1, month)) + day


def _from_ordinal(n):
    year = max(1, n * 400 // 146097)
    while _ordinal(year + 1, 1, 1) <= n:
        year += 1
    while _ordinal(year, 1, 1) > n:
        year -= 1
    day = n - _ordinal(year, 1, 1) + 1
    month = 1
    while day > _month_days(year, month):
        day -= _month_days(year, month)
        month += 1
    return year, month, day


def _fields(text, parts):
    return '%s(%s)' % (text, ', '.join(parts))


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        whole = days + weeks * 7
        rest = seconds + minutes * 60 + hours * 3600
        micros = int(whole) * 86400000000 + int(rest) * 1000000
        micros += round((whole - int(whole)) * 86400000000 + (rest - int(rest)) * 1000000 + microseconds + milliseconds * 1000)
        self.days, rest = divmod(micros, 86400000000)
        self.seconds, self.microseconds = divmod(rest, 1000000)

    @property
    def _micros(self):
        return (self.days * 86400 + self.seconds) * 1000000 + self.microseconds

    def total_seconds(self):
        return self._micros / 1000000

    def __reduce__(self):
        return self.__class__, (self.days, self.seconds, self.microseconds)

    def __str__(self):
        text = '%d:%02d:%02d' % (self.seconds // 3600, self.seconds // 60 % 60, self.seconds % 60)
        if self.days:
            text = '%d day%s, %s' % (self.days, '' if abs(self.days) == 1 else 's', text)
        return text + ('.%06d' % self.microseconds if self.microseconds else '')

    def __repr__(self):
        parts = ['%s=%d' % (n, v) for n, v in (('days', self.days), ('seconds', self.seconds), ('microseconds', self.microseconds)) if v]
        return 'datetime.timedelta(%s)' % (', '.join(parts) or '0')

    def _compared(self, other, compare):
        return compare(self._micros, other._micros) if isinstance(other, timedelta) else NotImplemented

    def __eq__(self, other):
        return self._compared(other, lambda a, b: a == b)

    def __lt__(self, other):
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compared(other, lambda a, b: a >= b)

    def __hash__(self):
        return hash((self.days, self.seconds, self.microseconds))

    def __bool__(self):
        return self._micros != 0

    def __add__(self, other):
        return timedelta(microseconds=self._micros + other._micros) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return timedelta(microseconds=self._micros - other._micros) if isinstance(other, timedelta) else NotImplemented

    def __neg__(self):
        return timedelta(microseconds=-self._micros)

    def __pos__(self):
        return self

    def __abs__(self):
        return -self if self.days < 0 else self

    def __mul__(self, k):
        return timedelta(microseconds=round(self._micros * k)) if isinstance(k, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, k):
        if isinstance(k, timedelta):
            return self._micros / k._micros
        return timedelta(microseconds=round(self._micros / k)) if isinstance(k, (int, float)) else NotImplemented

    def __floordiv__(self, k):
        return self._micros // k._micros if isinstance(k, timedelta) else timedelta(microseconds=self._micros // k)

    def __mod__(self, k):
        return timedelta(microseconds=self._micros % k._micros)

    def __divmod__(self, k):
        return self // k, self % k


timedelta.min = timedelta(-999999999)
timedelta.max = timedelta(days=999999999, hours=23, minutes=59, seconds=59, microseconds=999999)
timedelta.resolution = timedelta(microseconds=1)


class tzinfo:
    def utcoffset(self, when):
        raise NotImplementedError('a tzinfo subclass must implement utcoffset()')

    def tzname(self, when):
        raise NotImplementedError('a tzinfo subclass must implement tzname()')


def _offset_text(offset, separator=':'):
    minutes = offset // timedelta(minutes=1)
    sign, minutes = ('-', -minutes) if minutes < 0 else ('+', minutes)
    return '%s%02d%s%02d' % (sign, minutes // 60, separator, minutes % 60)


class timezone(tzinfo):
    def __init__(self, offset, name=None):
        self._offset = offset
        self._name = name

    def utcoffset(self, when):
        return self._offset

    def tzname(self, when):
        return str(self)

    def __str__(self):
        return self._name or ('UTC' if not self._offset else 'UTC' + _offset_text(self._offset))

    def __repr__(self):
        return 'datetime.timezone.utc' if not self._offset and self._name is None else 'datetime.timezone(%r)' % self._offset

    def __eq__(self, other):
        return isinstance(other, timezone) and self._offset == other._offset

    def __hash__(self):
        return hash(self._offset)


timezone.utc = UTC = timezone(timedelta(0))


def _format(moment, format):
    out = []
    i = 0
    while i < len(format):
        c = format[i]
        if c != '%' or i + 1 == len(format):
            out.append(c)
            i += 1
            continue
        c = format[i + 1]
        i += 2
        if c == 'f':
            out.append('%06d' % getattr(moment, 'microsecond', 0))
        elif c == 'z' or c == 'Z':
            offset = moment.utcoffset() if isinstance(moment, (datetime, time)) else None
            out.append('' if offset is None else _offset_text(offset, '') if c == 'z' else moment.tzinfo.tzname(moment))
        else:
            out.append(_time.strftime('%' + c, moment.timetuple()))
    return ''.join(out)


class date:
    def __init__(self, year, month, day):
        if not MINYEAR <= year <= MAXYEAR:
            raise ValueError('year %d is out of range' % year)
        if not 1 <= month <= 12:
            raise ValueError('month must be in 1..12')
        if not 1 <= day <= _month_days(year, month):
            raise ValueError('day is out of range for month')
        self.year, self.month, self.day = year, month, day

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, stamp):
        return cls(*_time.localtime(stamp)[:3])

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    @classmethod
    def fromisoformat(cls, text):
        try:
            return cls(*[int(part) for part in text.split('-')])
        except (TypeError, ValueError):
            raise ValueError('Invalid isoformat string: %r' % text)

    def __reduce__(self):
        return self.__class__, (self.year, self.month, self.day)

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.toordinal() % 7 or 7

    def isocalendar(self):
        thursday = date.fromordinal(self.toordinal() - self.weekday() + 3)
        return thursday.year, (thursday.toordinal() - _ordinal(thursday.year, 1, 1)) // 7 + 1, self.isoweekday()

    def timetuple(self):
        return (self.year, self.month, self.day, 0, 0, 0, self.weekday(), self.toordinal() - _ordinal(self.year, 1, 1) + 1, -1)

    def replace(self, year=None, month=None, day=None):
        return date(year or self.year, month or self.month, day or self.day)

    def isoformat(self):
        return '%04d-%02d-%02d' % (self.year, self.month, self.day)

    __str__ = isoformat

    def strftime(self, format):
        return _format(self, format)

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    def ctime(self):
        return self.strftime('%a %b %e %H:%M:%S %Y')

    def __repr__(self):
        return 'datetime.date(%d, %d, %d)' % (self.year, self.month, self.day)

    def _compared(self, other, compare):
        if type(self) is not type(other) and (isinstance(self, datetime) or isinstance(other, datetime)):
            return NotImplemented
        return compare(self._key(), other._key()) if isinstance(other, date) else NotImplemented

    def _key(self):
        return (self.year, self.month, self.day)

    def __eq__(self, other):
        return self._compared(other, lambda a, b: a == b)

    def __lt__(self, other):
        return self._ordered(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._ordered(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._ordered(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._ordered(other, lambda a, b: a >= b)

    def _ordered(self, other, compare):
        result = self._compared(other, compare)
        if result is NotImplemented and isinstance(other, date):
            raise TypeError("can't compare %s to %s" % tuple('datetime.' + type(x).__name__ for x in (self, other)))
        return result

    def __hash__(self):
        return hash(self._key())

    def __add__(self, other):
        return date.fromordinal(self.toordinal() + other.days) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return date.fromordinal(self.toordinal() - other.days)
        return timedelta(self.toordinal() - other.toordinal()) if isinstance(other, date) else NotImplemented


class time:
    def __init__(self, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        for value, most, name in ((hour, 23, 'hour'), (minute, 59, 'minute'), (second, 59, 'second'), (microsecond, 999999, 'microsecond')):
            if not 0 <= value <= most:
                raise ValueError('%s must be in 0..%d' % (name, most))
        self.hour, self.minute, self.second, self.microsecond, self.tzinfo = hour, minute, second, microsecond, tzinfo

    def utcoffset(self):
        return None if self.tzinfo is None else self.tzinfo.utcoffset(None)

    def isoformat(self, timespec='auto'):
        text = '%02d:%02d:%02d' % (self.hour, self.minute, self.second)
        if timespec == 'milliseconds':
            return text + '.%03d' % (self.microsecond // 1000)
        if timespec == 'minutes':
            return text[:5]
        return text + '.%06d' % self.microsecond if timespec == 'microseconds' or (timespec == 'auto' and self.microsecond) else text

    __str__ = isoformat

    def timetuple(self):
        return (1900, 1, 1, self.hour, self.minute, self.second, 0, 1, -1)

    def strftime(self, format):
        return _format(self, format)

    def __repr__(self):
        parts = [self.hour, self.minute, self.second, self.microsecond]
        while len(parts) > 2 and not parts[-1]:
            parts.pop()
        return _fields('datetime.time', [str(part) for part in parts])

    def _key(self):
        return (self.hour, self.minute, self.second, self.microsecond)

    def __eq__(self, other):
        return isinstance(other, time) and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        date.__init__(self, year, month, day)
        time(hour, minute, second, microsecond)
        self.hour, self.minute, self.second, self.microsecond, self.tzinfo = hour, minute, second, microsecond, tzinfo

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time.time(), tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(_time.time(), timezone.utc).replace(tzinfo=None)

    @classmethod
    def fromtimestamp(cls, stamp, tz=None):
        micros = round(stamp * 1000000)
        if tz is not None:
            made = cls(1970, 1, 1) + timedelta(microseconds=micros) + tz.utcoffset(None)
            return made.replace(tzinfo=tz)
        return cls(*_time.localtime(micros // 1000000)[:6], micros % 1000000)

    @classmethod
    def combine(cls, day, moment, tzinfo=None):
        return cls(day.year, day.month, day.day, moment.hour, moment.minute, moment.second, moment.microsecond, tzinfo or moment.tzinfo)

    @classmethod
    def fromisoformat(cls, text):
        try:
            day = date.fromisoformat(text[:10])
            rest = text[11:].replace('Z', '+00:00')
            tz = None
            for sign in '+-':
                if sign in rest:
                    rest, _, zone = rest.partition(sign)
                    offset = timedelta(hours=int(zone[:2]), minutes=int(zone[3:5] or 0))
                    tz = timezone(-offset if sign == '-' else offset)
            whole, _, fraction = rest.partition('.')
            parts = [int(part) for part in whole.split(':')] if whole else []
            parts += [0] * (3 - len(parts))
            return cls(day.year, day.month, day.day, *parts, int((fraction + '000000')[:6]), tz)
        except ValueError:
            raise ValueError('Invalid isoformat string: %r' % text)

    @classmethod
    def strptime(cls, text, format):
        import re
        patterns = {'Y': r'(?P<Y>\d{4})', 'm': r'(?P<m>\d{1,2})', 'd': r'(?P<d>\d{1,2})', 'H': r'(?P<H>\d{1,2})', 'I': r'(?P<I>\d{1,2})', 'M': r'(?P<M>\d{1,2})',
                    'S': r'(?P<S>\d{1,2})', 'f': r'(?P<f>\d{1,6})', 'y': r'(?P<y>\d{2})', 'b': r'(?P<b>[A-Za-z]{3})', 'B': r'(?P<B>[A-Za-z]+)', 'p': r'(?P<p>[AaPp][Mm])',
                    'a': r'[A-Za-z]{3}', 'A': r'[A-Za-z]+', 'j': r'(?P<j>\d{1,3})', '%': '%'}
        pattern, i = '', 0
        while i < len(format):
            if format[i] == '%' and i + 1 < len(format):
                if format[i + 1] not in patterns:
                    raise ValueError("'%s' is a bad directive in format %r" % (format[i + 1], format))
                pattern += patterns[format[i + 1]]
                i += 2
            else:
                pattern += re.escape(format[i])
                i += 1
        match = re.fullmatch(pattern, text)
        if match is None:
            raise ValueError('time data %r does not match format %r' % (text, format))
        found = match.groupdict()
        year = int(found['Y']) if 'Y' in found else int(found['y']) + (2000 if int(found['y']) < 69 else 1900) if 'y' in found else 1900
        month = int(found.get('m', 1))
        for key, size in (('b', 3), ('B', None)):
            if key in found:
                month = [name[:size].lower() for name in _MONTHS].index(found[key].lower()) + 1
        hour = int(found.get('H', found.get('I', 0)))
        if 'p' in found:
            hour = hour % 12 + (12 if found['p'].lower() == 'pm' else 0)
        return cls(year, month, int(found.get('d', 1)), hour, int(found.get('M', 0)), int(found.get('S', 0)), int((found.get('f', '0') + '000000')[:6]))

    def __reduce__(self):
        return self.__class__, (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond, self.tzinfo)

    def date(self):
        return date(self.year, self.month, self.day)

    def time(self):
        return time(self.hour, self.minute, self.second, self.microsecond)

    def utcoffset(self):
        return None if self.tzinfo is None else self.tzinfo.utcoffset(self)

    def astimezone(self, tz=None):
        tz = tz or timezone.utc
        return datetime.fromtimestamp(self.timestamp(), tz)

    def timetuple(self):
        return (self.year, self.month, self.day, self.hour, self.minute, self.second, self.weekday(), self.toordinal() - _ordinal(self.year, 1, 1) + 1, -1)

    def timestamp(self):
        offset = self.utcoffset()
        seconds = (self.toordinal() - 719163) * 86400 + self.hour * 3600 + self.minute * 60 + self.second
        if offset is None:
            local = _time.localtime(seconds)
            shown = (_ordinal(*local[:3]) - 719163) * 86400 + local[3] * 3600 + local[4] * 60 + local[5]
            seconds -= shown - seconds
        else:
            seconds -= offset.total_seconds()
        return seconds + self.microsecond / 1000000

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=True):
        def kept(value, name):
            return getattr(self, name) if value is None else value
        return type(self)(kept(year, 'year'), kept(month, 'month'), kept(day, 'day'), kept(hour, 'hour'), kept(minute, 'minute'), kept(second, 'second'),
                          kept(microsecond, 'microsecond'), self.tzinfo if tzinfo is True else tzinfo)

    def isoformat(self, sep='T', timespec='auto'):
        offset = self.utcoffset()
        return date.isoformat(self) + sep + self.time().isoformat(timespec) + ('' if offset is None else _offset_text(offset))

    def __str__(self):
        return self.isoformat(' ')

    def __repr__(self):
        parts = [self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond]
        while len(parts) > 5 and not parts[-1]:
            parts.pop()
        return _fields('datetime.datetime', [str(part) for part in parts] + (['tzinfo=%r' % self.tzinfo] if self.tzinfo is not None else []))

    def _key(self):
        offset = self.utcoffset()
        return self._micros() - (offset._micros if offset is not None else 0)

    def _micros(self):
        return ((self.toordinal() * 24 + self.hour) * 60 + self.minute) * 60000000 + self.second * 1000000 + self.microsecond

    def __hash__(self):
        return hash(self._key())

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        days, rest = divmod(self._micros() + other._micros, 86400000000)
        seconds, micros = divmod(rest, 1000000)
        return type(self)(*_from_ordinal(days), seconds // 3600, seconds // 60 % 60, seconds % 60, micros, self.tzinfo)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + -other
        return timedelta(microseconds=self._key() - other._key()) if isinstance(other, datetime) else NotImplemented
