# SPDX-License-Identifier: Apache-2.0
"""The line between a watched training and those who look at it.

The training puts rows in a queue and never waits: a thread writes them to the file and to each window as fast as that
reads. What is too much is dropped and counted. A window sends orders, lines of JSON too. Of several ranks on one
machine the first listens; the others hand it their rows, and get from it what windows order.
"""

import collections
import json
import os
import selectors
import socket
import threading
import time

from ._notes import line_of
from ._runtime_folder import runtime_folder
from ._watch_history import History, WatchFile
from ._watch_rows import line_of_row

_MOST_WAITING = 512  # rows
_MOST_UNSENT = 16 << 20  # bytes to one window
_LONGEST_ORDER = 1 << 16  # bytes of a line from a window
_LONGEST_ROW = 64 << 20  # of one from a rank
_MOST_PEERS = 64
_LOOK_EVERY = 0.05  # seconds, for rows that wait
_JOIN_EVERY = 0.5  # seconds, while the first rank does not listen yet
_ESSENTIAL = ("hello", "model", "parked", "running", "recorded", "every", "note", "end")


class _Peer:
    """A window, or another rank."""

    def __init__(self, connection):
        connection.setblocking(False)
        self.connection = connection
        self.unsent = collections.deque()
        self.size = 0
        self.dropped = 0
        self.received = bytearray()
        self.is_rank = False
        self.has_ended = False  # a rank that said so

    def put(self, line, is_essential):
        if not is_essential and self.size > _MOST_UNSENT:
            self.dropped += 1
            return
        if self.dropped and self.size <= _MOST_UNSENT:
            note = line_of_row({"kind": "dropped", "rows": self.dropped})
            self.dropped = 0
            self.put(note, True)
        self.unsent.append(line)
        self.size += len(line)

    def send(self):
        while self.unsent:
            line = self.unsent[0]
            sent = self.connection.send(line)
            self.size -= sent
            if sent == len(line):
                self.unsent.popleft()
            else:
                self.unsent[0] = line[sent:]

    def lines(self, longest):
        """Whole ones of what came; None: it has ended, or is no such line."""
        try:
            got = self.connection.recv(1 << 16)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError:
            return None
        if not got:
            return None
        self.received += got
        *whole, rest = self.received.split(b"\n") if b"\n" in got else (self.received,)
        self.received = bytearray(rest)
        return None if len(self.received) > longest else [bytes(line) for line in whole]


class Line:
    """order(order) is called on the thread for each, a dict. state(): what of hello is so at the moment.

    name: of the socket. joins: another rank's listens there. file: a path; None: no file.
    """

    def __init__(self, hello, name, joins, file, order, state):
        self.error = None  # why there is no socket or no file
        self.address = None
        self._hello = hello
        self._joins = joins
        self._order = order
        self._state = state
        self._models = {}  # lines, by rank
        self._history = History()
        self._waiting = collections.deque()
        self._dropped = 0
        self._process = os.getpid()
        self._is_ending = self._is_closed = False
        self._pauser = self._pause = None
        self._peers = []
        self._rank_hellos = {}
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_out, False)
        os.set_blocking(self._wake_in, False)
        self._selector.register(self._wake_in, selectors.EVENT_READ, None)
        self._file = None
        if file is not None:
            self._file = WatchFile(file)
            self._file.add(line_of_row(dict(hello, **state())))
        self._listener = None
        self._hub = None
        self._next_join = 0.0
        try:
            if not hasattr(socket, "AF_UNIX"):
                raise OSError("this system has no local sockets")
            self.address = os.path.join(runtime_folder(), f"{name}.sock")
            if not joins:
                self._listen()
        except OSError as error:
            self.error, self.address = line_of(error), None
        self._thread = threading.Thread(target=self._work, name="tensorloupe.watch", daemon=True)
        self._thread.start()

    # --- the training's side ---

    def put(self, row):
        """row: a dict, or a function that makes it, which runs on the thread. Never waits."""
        if os.getpid() != self._process:
            return
        is_essential = isinstance(row, dict) and row.get("kind") in _ESSENTIAL
        if len(self._waiting) >= _MOST_WAITING and not is_essential:
            self._dropped += 1
            return
        self._waiting.append(row)
        # Rows are looked for often enough; waking the thread for each would hand it the interpreter at once.
        if is_essential:
            self._wake()

    def is_alive(self):
        return self._thread.is_alive()

    def has_windows(self):
        return any(not peer.is_rank for peer in self._peers) or self._hub is not None

    def end(self, seconds=2.0):
        """What waits is written, for so long at most."""
        if os.getpid() != self._process:
            return
        self._is_ending = True
        self._wake()
        self._thread.join(seconds)
        if not self._thread.is_alive() and not self._is_closed:
            self._is_closed = True
            os.close(self._wake_in)
            os.close(self._wake_out)

    def _wake(self):
        try:
            if not self._is_closed:
                os.write(self._wake_out, b"!")
        except OSError:  # there are enough of them
            pass

    # --- the thread ---

    def _listen(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(self.address)
        except OSError:
            if _is_alive(self.address):
                listener.close()
                raise
            os.unlink(self.address)  # of a program that was killed
            listener.bind(self.address)
        os.chmod(self.address, 0o600)
        listener.listen(16)
        listener.setblocking(False)
        self._listener = listener
        self._selector.register(listener, selectors.EVENT_READ, None)

    def _work(self):
        try:
            ended = None
            while True:
                self._turn(_LOOK_EVERY)
                if self._is_ending and not self._waiting:
                    ended = ended or time.monotonic()
                    # Ranks that end with this one have their last rows to hand over.
                    unsent = any(peer.unsent or peer.is_rank for peer in self._peers)
                    unsent = unsent or (self._hub is not None and self._hub.unsent)
                    if not unsent or time.monotonic() - ended > 1.5:
                        break
        except Exception as error:  # the disk is full, for one
            self.error = line_of(error)
        finally:
            self._close()

    def _turn(self, seconds):
        self._join()
        for key, events in self._selector.select(seconds):
            if key.fileobj == self._wake_in:
                try:
                    os.read(self._wake_in, 4096)
                except OSError:
                    pass
            elif key.fileobj is self._listener:
                self._accept()
            elif key.data is not None and events & selectors.EVENT_READ:
                self._receive(key.data)
        self._take()
        for peer in list(self._peers) + ([self._hub] if self._hub is not None else []):
            self._send(peer)

    def _take(self):
        for _ in range(len(self._waiting)):
            row = self._waiting.popleft()
            if callable(row):
                row = row()
            if row is not None:
                self._say(row)
        if self._dropped:
            row = {"kind": "dropped", "rows": self._dropped}
            if self._hello["rank"]:
                row["rank"] = self._hello["rank"]
            self._dropped = 0
            self._say(row)

    def _say(self, row):
        """To all who listen."""
        line = line_of_row(row)
        kind = row.get("kind")
        if self._joins:
            if self._hub is not None:
                self._hub.put(line, kind in _ESSENTIAL)
            else:
                self._history.add(row, len(line))  # until it is there
            return
        if kind == "model":
            self._models[row.get("rank", 0)] = line
        elif kind == "hello":
            self._rank_hellos[row.get("rank", 0)] = line
        else:
            self._history.add(row, len(line))
        for peer in self._peers:
            if not peer.is_rank:
                peer.put(line, kind in _ESSENTIAL)
        if self._file is not None:
            self._file.add(line)
            if self._file.is_full():
                self._file.rewrite(self._beginning() + self._history.lines())

    def _beginning(self):
        lines = [line_of_row(dict(self._hello, **self._state()))]
        lines += self._rank_hellos.values()
        return lines + [self._models[rank] for rank in sorted(self._models)]

    def _accept(self):
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if len(self._peers) >= _MOST_PEERS + self._hello["ranks"]:
            connection.close()
            return
        peer = _Peer(connection)
        self._peers.append(peer)
        self._selector.register(connection, selectors.EVENT_READ, peer)
        for line in self._beginning() + self._history.lines():
            peer.put(line, True)

    def _receive(self, peer):
        lines = peer.lines(_LONGEST_ROW if peer.is_rank else _LONGEST_ORDER)
        for line in lines or ():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                lines = None
                break
            if not isinstance(row, dict):
                continue
            if peer is self._hub or not peer.is_rank:
                self._obey(row, peer)
            elif "kind" in row:
                peer.has_ended |= row["kind"] == "end"
                self._say(row)
        if lines is None:
            self._lose(peer)

    def _obey(self, row, peer):
        what = row.get("do")
        if what == "join" and peer is not self._hub:
            peer.is_rank = True
            peer.unsent.clear()
            peer.size = 0
            if self._pause is not None:
                peer.put(self._pause, True)
            return
        if not isinstance(what, str):
            return
        if not self._joins:
            # Nothing stays parked for a window that is not there; others may go as they like.
            if what == "gone" and peer is not self._pauser:
                return
            if what in ("pause", "continue", "gone"):
                self._pauser = peer if what == "pause" else None
            ranks = [other for other in self._peers if other.is_rank]
            if what == "pause" and self._hello["ranks"] > 1:
                # All at the same step, so that none waits in a collective for one that is parked.
                row = dict(row, at=self._state().get("step", 0) + 2)
            line = line_of_row(row)
            if what in ("pause", "continue", "gone"):
                self._pause = line if what == "pause" else None  # also for ranks that come later
            for other in ranks:
                other.put(line, True)
        self._order(row)

    def _join(self):
        if not self._joins or self._hub is not None or self.address is None or self._is_ending:
            return
        if time.monotonic() < self._next_join:
            return
        self._next_join = time.monotonic() + _JOIN_EVERY
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self.address)
        except OSError:
            connection.close()
            return
        self._hub = _Peer(connection)
        self._selector.register(connection, selectors.EVENT_READ, self._hub)
        for line in [b'{"do":"join"}\n', line_of_row(self._hello)] + self._history.lines():
            self._hub.put(line, True)
        self._history = History()

    def _send(self, peer):
        try:
            peer.send()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self._lose(peer)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if peer.unsent else 0)
        if peer.connection.fileno() >= 0 and self._selector.get_key(peer.connection).events != wanted:
            self._selector.modify(peer.connection, wanted, peer)

    def _lose(self, peer):
        if peer.connection.fileno() < 0:
            return
        self._selector.unregister(peer.connection)
        peer.connection.close()
        if peer is self._hub:
            self._hub = None
        else:
            self._peers.remove(peer)
        if not peer.is_rank:
            self._obey({"do": "gone"}, peer)
        elif not peer.has_ended:
            self._say({"kind": "note", "text": "a rank has ended without a word"})

    def _close(self):
        self._order({"do": "gone"})
        for peer in list(self._peers) + ([self._hub] if self._hub is not None else []):
            peer.connection.close()
        if self._listener is not None:
            self._listener.close()
            try:
                os.unlink(self.address)
            except OSError:
                pass
        if self._file is not None:
            self._file.close()
        self._selector.close()


def _is_alive(address):
    probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        probe.connect(address)
        return True
    except OSError:
        return False
    finally:
        probe.close()
