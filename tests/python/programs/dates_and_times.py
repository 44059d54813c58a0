"""Dates and times."""
from datetime import date, datetime, time, timedelta, timezone
import datetime as dt

d = datetime(2024, 2, 28, 13, 5, 9, 123456)
print(d, repr(d), d.isoformat(), d.isoformat(' ', 'seconds'), d.year, d.month, d.day, d.hour, d.minute, d.second, d.microsecond)
print(d.strftime('%Y-%m-%d_%H-%M-%S %a %A %b %B %j %p %I %y %f %%'), f'{d:%d.%m.%Y}', d.date(), d.time(), d.weekday(), d.isoweekday(), d.toordinal(), d.timetuple()[:6])
print(d + timedelta(days=2), d - timedelta(hours=14), (d + timedelta(days=2)) - d, d < d + timedelta(1), d == datetime(2024, 2, 28, 13, 5, 9, 123456), max(d, datetime(2023, 1, 1)))
print(d.replace(year=2025, hour=0), datetime.strptime('2024-03-01 10:20:30', '%Y-%m-%d %H:%M:%S'), datetime.fromisoformat('2024-05-06T07:08:09'), datetime.fromisoformat('2024-05-06'))
print(date(2024, 1, 31) + timedelta(days=30), date(2024, 3, 1) - date(2023, 3, 1), date.fromisoformat('2020-02-29'), repr(date(2020, 1, 2)), date(2024, 12, 30).isocalendar()[1], date(2024, 1, 1) < date(2024, 1, 2))
t = timedelta(days=1, hours=2, minutes=3, seconds=4.5)
print(t, repr(t), t.total_seconds(), t * 2, t / 2, t // timedelta(hours=1), t % timedelta(hours=1), -t, abs(-t), t > timedelta(1), timedelta(minutes=90), timedelta(milliseconds=1500), timedelta(weeks=1).days, divmod(t, timedelta(hours=2)))
print(str(timedelta(seconds=3725)), str(timedelta(seconds=59)).split('.')[0], timedelta() == timedelta(0), bool(timedelta()), sum([timedelta(1), timedelta(2)], timedelta()), hash(t) == hash(timedelta(days=1, hours=2, minutes=3, seconds=4.5)))
print(time(1, 2, 3), repr(time(1, 2)), time(1, 2, 3).isoformat(), datetime.combine(date(2024, 1, 1), time(5, 6)))
u = datetime(2024, 1, 1, tzinfo=timezone.utc)
print(u, u.isoformat(), repr(timezone.utc), u.timestamp(), datetime.fromtimestamp(0, timezone.utc), (u + timedelta(seconds=1)).timestamp())
now = datetime.now()
print(now.year >= 2024, isinstance(now, date), type(now).__name__, (datetime.now() - now).total_seconds() < 5, len(now.strftime('%Y%m%d')), date.today() == now.date(), dt.datetime.now().tzinfo, dt.datetime.now(dt.timezone.utc).tzinfo)
for bad in (lambda: datetime(2024, 13, 1), lambda: date(2023, 2, 29), lambda: datetime.strptime('x', '%Y'), lambda: d < date(2024, 1, 1)):
    try:
        print(bad())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
