# SPDX-License-Identifier: Apache-2.0
class URLError(OSError):
    def __init__(self, reason, filename=None):
        self.args = (reason,)
        self.reason = reason

    def __str__(self):
        return f'<urlopen error {self.reason}>'


class HTTPError(URLError):
    pass
