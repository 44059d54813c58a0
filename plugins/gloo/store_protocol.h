// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is spoken at MASTER_PORT: the protocol of PyTorch's TCPStore, of which torchrun's agent may own the server. A
// query is a byte and its operands; numbers are the host's, texts have their length in front.

#include <cstdint>

namespace loupe::gloo_plugin {

enum class Query : std::uint8_t { Validate = 0, Set = 1, Get = 3, Check = 5, Ping = 13 };

constexpr std::uint32_t kMagic = 0x3C85F7CE;
constexpr std::uint8_t kReady = 0, kNotReady = 1;  // answers to Check
// Longer texts are not a store's.
constexpr std::uint64_t kMostBytes = 64 << 20;

}  // namespace loupe::gloo_plugin
