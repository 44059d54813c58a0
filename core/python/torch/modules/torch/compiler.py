# SPDX-License-Identifier: Apache-2.0
# A source runs as it is written: nothing is compiled, and what asks hears so.
from torch._dynamo.eval_frame import compile


def is_compiling():
    return False


is_dynamo_compiling = is_exporting = is_compiling


def disable(fn=None, recursive=True, *, reason=None):
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn):
    return fn


assume_constant_result = allow_in_graph


def substitute_in_graph(original_fn, *, can_constant_fold_through=False, skip_signature_check=False):
    return lambda function: function


def reset():
    pass


def cudagraph_mark_step_begin():
    pass


def list_backends(exclude_tags=()):
    return ['inductor']


def set_stance(*args, **kwargs):
    from contextlib import nullcontext
    return nullcontext()


def wrap_numpy(fn):
    return fn
