// SPDX-License-Identifier: Apache-2.0
#pragma once
// What carries memory of the test device between ranks: as NCCL, it meets by an id, and its work is done later, on a
// thread of its own. All goes over rank 0.

#include "core/plugin/plugin.h"

namespace loupe::test_device {

class TestMemory;

void register_transport(const PluginRegistries& registries, const TestMemory& memory);

}  // namespace loupe::test_device
