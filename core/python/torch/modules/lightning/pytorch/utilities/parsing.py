# SPDX-License-Identifier: Apache-2.0
class AttributeDict(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError('Missing attribute "%s"' % name)

    def __setattr__(self, name, value):
        self[name] = value

    def __repr__(self):
        return '\n'.join('"%s": %r' % (name, value) for name, value in sorted(self.items()))
