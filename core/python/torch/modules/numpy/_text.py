# SPDX-License-Identifier: Apache-2.0
# Arrays as numpy prints them, at its default precision of 8 digits.
import math


def _digits(value):
    """The fewest digits behind the point, at most 8, that give the value at that precision."""
    text = '%.8f' % value
    return len(text.rstrip('0').split('.')[1])


def _float_writer(values):
    finite = [value for value in values if math.isfinite(value)]
    largest = max([abs(value) for value in finite], default=0)
    smallest = min([abs(value) for value in finite if value != 0], default=0)
    if largest >= 1e16 or (smallest and (smallest < 1e-4 or largest / smallest > 1000 and (largest >= 1e8 or smallest < 1e-4))):
        digits = max([len(('%.8e' % value).split('e')[0].rstrip('0').split('.')[1]) for value in finite], default=0)

        def write(value):
            if not math.isfinite(value):
                return str(value)
            mantissa, exponent = ('%.*e' % (digits, value)).split('e')
            return (mantissa if '.' in mantissa else mantissa + '.') + 'e' + exponent
        return write
    digits = max([_digits(value) for value in finite], default=0)

    def write(value):
        if not math.isfinite(value):
            return str(value)
        text = '%.*f' % (digits, value)
        if '.' not in text:
            return text + '.'
        return text.rstrip('0').ljust(len(text))
    return write


def array_text(t, separator, prefix):
    if t.numel() == 0:
        return '[]'
    flat = t.reshape(-1).tolist()
    if t.is_floating_point():
        write = _float_writer(flat)
    elif t.is_complex():
        reals = _float_writer([value.real for value in flat])
        imags = _float_writer([abs(value.imag) for value in flat])
        width_of_real = max(len(reals(value.real)) for value in flat)
        width_of_imag = max(len(imags(abs(value.imag)).strip()) for value in flat)

        def write(value):
            imag = imags(abs(value.imag)).strip()
            return (f"{reals(value.real).rjust(width_of_real)}{'-' if value.imag < 0 else '+'}{imag}j").ljust(
                width_of_real + width_of_imag + 2)
    else:
        write = str
    if t.dim() == 0:
        return write(flat[0])
    width = max(len(write(value)) for value in flat)
    summarised = t.numel() > 1000

    def text(part, indent):
        if part.dim() == 1:
            values = part.tolist()
            words = [write(value).rjust(width) for value in values]
            if summarised and len(words) > 6:
                words = words[:3] + ['...'] + words[-3:]
            lines = []
            line = ''
            for i, word in enumerate(words):
                last = i + 1 == len(words)
                if line and len(prefix) + indent + len(line) + len(word) + (0 if last else len(separator.rstrip())) > 74:
                    lines.append(line.rstrip() if separator == ' ' else line.rstrip())
                    line = ''
                line += word + ('' if last else separator)
            lines.append(line)
            return '[' + ('\n' + ' ' * (len(prefix) + indent)).join(lines) + ']'
        parts = [text(each, indent + 1) for each in part.unbind(0)]
        if summarised and len(parts) > 6:
            parts = parts[:3] + ['...'] + parts[-3:]
        return '[' + (separator.rstrip() + '\n' * (part.dim() - 1) + ' ' * (len(prefix) + indent)).join(parts) + ']'

    return text(t, 1)
