# SPDX-License-Identifier: Apache-2.0
# Arguments are not checked: what a wrong one does is said by what it is given to.
class BeartypeConf:
    def __init__(self, **kwargs):
        pass


def beartype(obj=None, *, conf=None):
    return (lambda decorated: decorated) if obj is None else obj
