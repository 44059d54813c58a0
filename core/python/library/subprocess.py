# SPDX-License-Identifier: Apache-2.0
PIPE, STDOUT, DEVNULL = -1, -2, -3


class SubprocessError(Exception):
    pass


class CalledProcessError(SubprocessError):
    pass


class TimeoutExpired(SubprocessError):
    pass


def _refuse(*args, **kwargs):
    raise PermissionError('other programs are not started from a model source')


run = call = check_call = check_output = Popen = getoutput = _refuse
