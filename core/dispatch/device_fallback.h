// SPDX-License-Identifier: Apache-2.0
#pragma once
// An operator without a kernel for its tensors' device runs on the CPU: what it reads is copied there, what it makes
// and writes is copied back.

#include <span>
#include <vector>

#include "core/dispatch/registry.h"

namespace loupe {

// The device that the call is for: that of its tensors, or of its device argument where it makes tensors of none.
// 0-dimensional CPU tensors stand beside those of any device.
Device device_of_call(const Operator& op, std::span<const IValue> arguments);

// Throws Error (Run), in PyTorch's words, when the tensors lie on two devices and the operator does not take that.
void check_same_device(const Operator& op, std::span<const IValue> arguments);

// The device whose operator this thread runs on the CPU now; the CPU when none.
Device fallback_device();

// Arguments of a call, copied to the CPU. Tensors that share memory share it there too.
class HostArguments {
  public:
    HostArguments(const Operator& op, std::span<const IValue> arguments);
    HostArguments(const HostArguments&) = delete;
    HostArguments& operator=(const HostArguments&) = delete;
    ~HostArguments();

    std::span<const IValue> values() const { return values_; }
    // Copies what the operator wrote back, and puts results where they belong: an argument that is given back is the
    // argument, a view of one is a view of it, anything else is copied to the device of the call.
    void finish(std::span<IValue> results);
    // The device of the call.
    Device device() const { return device_; }
    // Bytes that were copied to the CPU and, after finish(), back.
    std::size_t copied_bytes() const { return copied_; }

  private:
    // The part of a storage that the arguments reach.
    struct Block {
        Ptr<Storage> device;
        Ptr<Storage> host;
        std::size_t first = 0;  // in bytes of the device's storage
        std::size_t end = 0;
        bool is_written = false;
    };
    struct Pair {
        Tensor device;
        Tensor host;
    };

    void reserve(const Tensor& t);
    Tensor to_host(const Tensor& t);
    Tensor to_device(const Tensor& t);
    Block* block_of_host(const Storage* host);
    void write_back(const Tensor& t);

    const Operator& op_;
    std::span<const IValue> arguments_;
    std::vector<IValue> values_;
    std::vector<Block> blocks_;
    std::vector<Pair> pairs_;
    Device device_;
    Device device_around_;
    std::size_t copied_ = 0;
};

}  // namespace loupe
