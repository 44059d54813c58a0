// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of the test device. Work of a device's own stream is done when it is given, that of others as late as it may
// be (late_work.h).

#include <memory>
#include <optional>

#include "core/tensor/device_interface.h"
#include "plugins/test_device/late_work.h"

namespace loupe::test_device {

inline constexpr int kDevices = 2;

LateWork& work_of(Device device);
StreamId current_stream(Device device);
void use_stream(Device device, StreamId stream);
StreamId make_stream(Device device);
// All that the calling thread's stream has been given is done.
void catch_up(Device device);
// Throws Error (Run) where the host would wait for a stream that captures, or for the device that has one; its capture
// fails.
void refuse_captures(Device device, std::optional<StreamId> stream = {});
// Runs work in the turn of the calling thread's stream.
void in_turn(Device device, LateWork::Work work);

std::unique_ptr<DeviceEvent> make_event(Device device);

}  // namespace loupe::test_device
