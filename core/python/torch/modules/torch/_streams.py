# SPDX-License-Identifier: Apache-2.0
# Streams and events of devices, as torch.Stream and torch.Event, and as torch.cuda has them.
import _devices
import torch


def _device(device):
    # The device that is meant by a name, a number or nothing.
    if device is None:
        return torch.device('cuda', 0)
    if isinstance(device, int):
        return torch.device('cuda', max(device, 0))
    return torch.device(device)


# Devices of the streams that were entered, the innermost last: that is the current one.
_entered = []


def entered_device(type=None):
    return next((device for device in reversed(_entered) if type is None or device.type == type), None)


class Stream:
    def __init__(self, device=None, *, priority=0, stream_id=None, device_index=None, device_type=None):
        self._device = _device(device)
        _devices.require(self._device)
        self.stream_id = _devices.make_stream(self._device, priority) if stream_id is None else stream_id
        self.priority = priority

    @property
    def device(self):
        return self._device

    @property
    def device_index(self):
        return self._device.index

    @property
    def device_type(self):
        return 1 if self._device.type == 'cuda' else 20

    @property
    def native_handle(self):
        return _devices.native_stream(self._device, self.stream_id)

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, stream):
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        if event is None:
            event = self._event()
        event.record(self)
        return event

    def _event(self):
        return Event(device=self._device)

    def query(self):
        return _devices.is_idle(self._device, self.stream_id)

    def synchronize(self):
        _devices.synchronize_stream(self._device, self.stream_id)

    def __enter__(self):
        self._before = getattr(self, '_before', [])
        self._before.append(_devices.current_stream(self._device))
        _devices.use_stream(self._device, self.stream_id)
        _entered.append(self._device)
        return self

    def __exit__(self, kind, value, traceback):
        _entered.pop()
        _devices.use_stream(self._device, self._before.pop())

    def __eq__(self, other):
        return isinstance(other, Stream) and self._device == other._device and self.stream_id == other.stream_id

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.stream_id, str(self._device)))

    def __repr__(self):
        return (f'torch.Stream device_type={self._device.type}, device_index={self._device.index}, '
                f'stream_id={self.stream_id}')


class Event:
    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self._given_device = device
        self._enable_timing = enable_timing
        self._mark = None

    @property
    def device(self):
        return _device(self._given_device)

    def record(self, stream=None):
        device = self.device if stream is None else stream.device
        if self._mark is None:
            self._mark = _devices.Mark(device)
        self._mark.record(_devices.current_stream(device) if stream is None else stream.stream_id)

    def wait(self, stream=None):
        if self._mark is not None:
            self._mark.hold(_devices.current_stream(self.device) if stream is None else stream.stream_id)

    def query(self):
        return self._mark is None or self._mark.is_reached()

    def synchronize(self):
        if self._mark is not None:
            self._mark.wait()

    def elapsed_time(self, end_event):
        if not (self._enable_timing and end_event._enable_timing):
            raise ValueError('Both events must be created with argument \'enable_timing=True\'.')
        if self._mark is None or end_event._mark is None:
            raise ValueError('Both events must be recorded before calculating elapsed time.')
        if not (self.query() and end_event.query()):
            raise RuntimeError('Both events must be completed before calculating elapsed time.')
        return end_event._mark.milliseconds_since(self._mark)

    def __repr__(self):
        return f'torch.Event device_type={self.device.type}, device_index={self.device.index}'
