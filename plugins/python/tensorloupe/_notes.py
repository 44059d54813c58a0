# SPDX-License-Identifier: Apache-2.0
"""What a recording lacks, and why: one line a kind, whatever the number of times."""

_LONGEST = 200  # characters of an error
_MOST_KINDS = 50


def line_of(error):
    """The first line of an error; its class where it has none or cannot say it."""
    try:
        text = str(error).strip().partition("\n")[0]
    except Exception:  # an error of the program whose __str__ fails
        text = ""
    text = text or type(error).__name__
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


class Notes:
    def __init__(self):
        self._found = {}  # kind: [times, event of the first, text]

    def __len__(self):
        return len(self._found)

    def failed(self, what, error, event=0):
        """Work of the recorder's own met an error, which the program does not see."""
        name = type(error).__name__
        self._add((what, name), event, f"{what}: {name}: {line_of(error)}")

    def left_out(self, what, event=0):
        self._add(what, event, what)

    def _add(self, kind, event, text):
        found = self._found.get(kind)
        if found is not None:
            found[0] += 1
        elif len(self._found) < _MOST_KINDS:
            self._found[kind] = [1, event, text]

    def lines(self):
        return [
            f"not recorded: {text} ({times} times{f', first at event {event}' if event else ''})"
            for times, event, text in self._found.values()
        ]
