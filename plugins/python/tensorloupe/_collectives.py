# SPDX-License-Identifier: Apache-2.0
"""Which rank the process is, and the collectives that it launched; core/record/collective.h says what stands in a row.

A collective goes on behind the operator that launches it: what it leaves is looked at when it is over, before the next
operator. Nothing is waited for, and nothing is sent: the program's own collectives stay as they are.
"""

import os
import socket
import sys
import time
import uuid

import torch

from ._model import dtype_name
from ._tensors import tensors_in

# By the operator: what it is called, which argument it fills (None: none), and which one it is given.
_OPERATIONS = {
    "allreduce_": ("all_reduce", 0, 0),
    "allreduce_coalesced_": ("all_reduce", 0, 0),
    "broadcast_": ("broadcast", 0, 0),
    "reduce_": ("reduce", 0, 0),
    "allgather_": ("all_gather", 0, 1),
    "_allgather_base_": ("all_gather", 0, 1),
    "allgather_coalesced_": ("all_gather", 0, 1),
    "allgather_into_tensor_coalesced_": ("all_gather", 0, 1),
    "reduce_scatter_": ("reduce_scatter", 0, 1),
    "_reduce_scatter_base_": ("reduce_scatter", 0, 1),
    "reduce_scatter_tensor_coalesced_": ("reduce_scatter", 0, 1),
    "gather_": ("gather", 0, 1),
    "gather_into_tensor_": ("gather", 0, 1),
    "scatter_": ("scatter", 0, 1),
    "alltoall_": ("all_to_all", 0, 1),
    "alltoall_base_": ("all_to_all", 0, 1),
    "barrier": ("barrier", None, None),
    "monitored_barrier_": ("barrier", None, None),
    "send": ("send", None, 0),
    "recv_": ("recv", 0, 0),
    "recv_any_source_": ("recv", 0, 0),
}
# Those that make their result, which another operator waits for.
_FUNCTIONAL = {
    "all_reduce": "all_reduce",
    "all_reduce_": "all_reduce",
    "all_reduce_coalesced": "all_reduce",
    "all_gather_into_tensor": "all_gather",
    "all_gather_into_tensor_out": "all_gather",
    "all_gather_into_tensor_coalesced": "all_gather",
    "reduce_scatter_tensor": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "all_to_all_single": "all_to_all",
    "broadcast": "broadcast",
    "broadcast_": "broadcast",
}
_PEERS = ("src", "dst", "root_rank", "src_rank")


def is_collective(operator):
    """By its name: does it launch one?"""
    space, _, name = operator.partition("::")
    return (space == "c10d" and name in _OPERATIONS) or (space == "_c10d_functional" and name in _FUNCTIONAL)


def _distributed():
    """torch.distributed once the program has ranks; else None."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed


def _unboxed(kind, script_object):
    c10d = getattr(torch._C, "_distributed_c10d", None)
    unbox = getattr(getattr(c10d, kind, None), "unbox", None)
    return unbox(script_object) if unbox is not None else None


class _Group:
    """Of the program's groups."""

    __slots__ = ("name", "ranks")

    def __init__(self, group):
        distributed = _distributed()
        self.name = "0"
        self.ranks = list(range(distributed.get_world_size())) if distributed else []
        if group is None or distributed is None:
            return
        try:
            self.ranks = [int(each) for each in distributed.get_process_group_ranks(group)]
        except Exception:  # one that was made without torch.distributed
            self.ranks = []
        is_whole = len(self.ranks) == distributed.get_world_size()
        name = str(getattr(group, "group_name", "") or "0")
        default = getattr(getattr(distributed, "group", None), "WORLD", None)
        if not is_whole or group is not default:
            self.name = name

    def rank_of(self, number):
        """Of the whole program."""
        return self.ranks[number] if 0 <= number < len(self.ranks) else -1


class _Launched:
    """A collective that may be under way."""

    __slots__ = ("row", "event", "number", "operator", "work", "tensors", "is_waited", "done_at")


class Collectives:
    def __init__(self, recorder):
        self._recorder = recorder
        self._groups = {}
        self._sequences = {}
        self._by_storage = {}  # functional ones that are not waited for yet
        self.rows = []
        self.pending = []
        self._facts = None
        self._began = 0.0

    # Which rank this is.

    def begin(self):
        self._began = time.time()
        if _distributed() is not None:
            self._learn()

    def _learn(self):
        distributed = _distributed()
        self._facts = {
            "rank": distributed.get_rank(),
            "world_size": distributed.get_world_size(),
            "local_rank": _number(os.environ.get("LOCAL_RANK", "")),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "program": self._program(),
            "began": self._began,
        }

    @staticmethod
    def _program():
        """A name that the ranks of this run have in common, and no other run: who comes first names it."""
        try:
            from torch.distributed.distributed_c10d import _get_default_store

            name = _get_default_store().compare_set("tensorloupe/run", "", uuid.uuid4().hex)
            return name.decode() if isinstance(name, bytes) else str(name)
        except Exception:  # no store, or one that cannot do it
            return ""

    def facts(self):
        """RankFacts; None: the program has one process."""
        if self._facts is None and _distributed() is not None:
            self._learn()
        if self._facts is None or self._facts["world_size"] < 2:
            return None
        return self._facts

    # What it launches.

    def launched(self, call, arguments, keywords, result):
        """Behind the operator; its results in place are looked at later."""
        if self._facts is None and _distributed() is not None:
            self._learn()
        operator, event = call.operator, call.event
        space, _, name = operator.name.partition("::")
        given = dict(zip(operator.names, arguments))
        given.update(keywords)
        each = _Launched()
        each.event, each.number, each.operator, each.work = event, call.number, operator, None
        each.tensors, each.is_waited, each.done_at = [], False, None
        if space == "c10d":
            operation, filled, read = _OPERATIONS[name]
            group = self._group(given.get("process_group"))
            each.tensors = tensors_in(arguments[filled]) if filled is not None and filled < len(arguments) else []
            tensors = tensors_in(arguments[read]) if read is not None and read < len(arguments) else []
            each.is_waited = given.get("async_op") is False
            each.work = self._work(result)
        else:
            operation, group = _FUNCTIONAL[name], self._named_group(given.get("group_name"))
            tensors = tensors_in(arguments[0]) if arguments else []
        each.row = self._row(operation, group, given, tensors, event, call.number)
        self.rows.append(each.row)
        if space != "c10d":
            for tensor in tensors_in(result):
                self._by_storage[self._recorder.values.storage_number(tensor)] = each
            return
        self._watch(each, tensors)
        if each.work is None:  # of a release that does not give it: its call has come back
            self._look(each)
        else:
            self.pending.append(each)

    def _group(self, boxed):
        group = None
        if boxed is not None:
            group = _unboxed("ProcessGroup", boxed)
        key = id(group)
        if key not in self._groups:
            self._groups[key] = _Group(group), group  # held, so that no other gets its place
        return self._groups[key][0]

    def _named_group(self, name):
        key = str(name or "0")
        if key not in self._groups:
            group = None
            try:
                group = torch._C._distributed_c10d._resolve_process_group(key)
            except Exception:
                pass
            self._groups[key] = _Group(group), group
        return self._groups[key][0]

    @staticmethod
    def _work(result):
        for each in result if isinstance(result, tuple) else (result,):
            if isinstance(each, torch.ScriptObject):
                return _unboxed("Work", each)
        return None

    def _row(self, operation, group, given, tensors, event, number):
        peer = -1
        for name in _PEERS:
            if isinstance(given.get(name), int):
                peer = group.rank_of(given[name])
        reduction = ""
        how = given.get("reduce_op")
        if isinstance(how, str):
            reduction = how.upper()
        elif how is not None:
            kind = _unboxed("ReduceOp", how)
            reduction = str(getattr(kind, "op", kind)).rpartition(".")[2] if kind is not None else ""
        is_message = operation in ("send", "recv")
        counted = (group.name, operation, peer) if is_message else group.name
        self._sequences[counted] = sequence = self._sequences.get(counted, 0) + 1
        return {
            "index": len(self.rows),
            "group": group.name,
            "sequence": sequence,
            "operation": operation,
            "reduction": reduction,
            "dtype": dtype_name(tensors[0].dtype) if tensors else "",
            "shapes": [[int(size) for size in tensor.shape] for tensor in tensors],
            "bytes": sum(tensor.numel() * tensor.element_size() for tensor in tensors),
            "ranks": group.ranks,
            "peer": peer,
            "event": number,
            "waited_by": 0,
            "scope": event.scope,
            "file": event.file,
            "line": event.line,
            "launched": event.start,
            "error": event.error,
        }

    # When it is over.

    def _watch(self, each, tensors):
        if each.work is None or any(tensor.device.type != "cpu" for tensor in tensors):
            return  # a device's future runs its callbacks when they are put in its stream

        def done(_, each=each):
            each.done_at = self._recorder.now()

        try:
            each.work.get_future().add_done_callback(done)
        except Exception:  # a message, or a backend without futures
            pass

    def settle(self, tensors):
        """Before an operator that reads these: looks at what is over."""
        values, left, read = self._recorder.values, [], None
        for each in self.pending:
            if read is None:
                read = {values.storage_number(tensor) for _, tensor in tensors}
            is_read = any(values.storage_number(tensor) in read for tensor in each.tensors)
            if self._is_over(each):
                self._over(each, is_read)
            elif is_read and any(tensor.device.type != "cpu" for tensor in each.tensors):
                # The program has only put the operator behind it in the device's stream.
                self._look(each)
            else:
                left.append(each)
        self.pending = left

    @staticmethod
    def _is_over(each):
        if each.done_at is not None:
            return True
        try:
            return bool(each.work.is_completed())
        except Exception:  # it failed, which the program hears of itself
            return True

    def _over(self, each, is_read=False):
        row, recorder = each.row, self._recorder
        done = each.done_at if each.done_at is not None else recorder.now()
        row["completed"] = done = max(row["launched"], done)
        # Since when nothing but this could be waited for.
        last = recorder.events[-1]
        idle = max(row["launched"], last.start + last.duration)
        if each.is_waited:
            # The call came back when it was over: between there was nothing else.
            row["waited_from"], row["waited_until"] = row["launched"], done
        else:
            # Of several that end in one stretch without operators, the one that is read first is what was waited for.
            row["waited_from"], row["waited_until"] = min(idle, done) if is_read else done, done
        self._look(each)

    def _look(self, each):
        """At what it left."""
        recorder, event = self._recorder, each.event
        for tensor in each.tensors:
            recorder.values.written(tensor)
        made = [recorder.made(event, each.number, each.operator, tensor) for tensor in each.tensors]
        event.outputs = [value.number for value in made if value is not None]
        if event.node >= 0:
            recorder.graph.made(event.node, event.outputs)
        each.tensors, each.work = [], None

    def waits(self, call, arguments):
        """An operator that waits for a functional one, before it runs; what to give to waited()."""
        if not self._by_storage or not call.operator.name.endswith("::wait_tensor"):
            return None
        for tensor in tensors_in(arguments):
            each = self._by_storage.pop(self._recorder.values.storage_number(tensor), None)
            if each is not None:
                return each
        return None

    def waited(self, each, call):
        event, row = call.event, each.row
        row["waited_by"], row["waited_from"] = call.number, event.start
        row["waited_until"] = row["completed"] = event.start + event.duration

    def end(self):
        """What is over now; what is not has no end, and its elements may still change."""
        if self.pending:
            self.settle(())
        self.pending = []


def _number(text):
    return int(text) if text.isdigit() else 0
