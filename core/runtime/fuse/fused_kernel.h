// SPDX-License-Identifier: Apache-2.0
#pragma once
// A fusion backend's kernel of an expression.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/runtime/fuse/fused_expression.h"

namespace loupe::ir {
class Node;
}

namespace loupe::runtime {

// Description of a kernel for display.
struct FusedKernelText {
    std::string backend;
    std::string expression;
    std::string program;   // of the interpreter of expressions; empty for compiled kernels
    std::string ir;        // of the compiler; empty without one
    std::string assembly;  // of the machine
    double compile_seconds = 0;
    bool from_disk = false;
    std::string language = {};   // of ir: "LLVM IR", "CUDA C++"
    std::string resources = {};  // what it takes of a device: "sm_90: 32 registers a thread, ..."
    // For each line of ir, and of assembly: the line of the expression that it computes; -1: none alone, such as the
    // control of a loop.
    std::vector<int> ir_of = {};
    std::vector<int> assembly_of = {};
    // By line of the expression: the group's nodes that it stands for. Not known to the kernel, which groups share.
    std::vector<std::vector<const ir::Node*>> made_by = {};
};

class FusedKernel : public RefCounted {
  public:
    // arrays: outputs, then inputs, of n contiguous elements of the expression's dtypes; one element for an input that
    // was compiled as a number. Outputs do not overlap inputs. Called by several threads.
    virtual void run(std::byte* const* arrays, std::int64_t n) const = 0;
    // Of an expression of rows. arrays: the first row's; strides: bytes from row to row. A row's elements are
    // contiguous.
    virtual void run_rows(std::byte* const* arrays, const std::int64_t* strides, std::int64_t rows,
                          std::int64_t n) const = 0;
    // Must rows follow each other without gaps, but for columns?
    virtual bool needs_packed_rows() const { return false; }
    virtual FusedKernelText text() const = 0;
};

// The elements of a part of a group, for a kernel that walks over them by itself. Arrays: outputs, then inputs.
struct FusedSpace {
    struct Dim {
        std::int64_t size = 1;
        std::vector<std::int64_t> strides;  // bytes, one per array
    };
    std::vector<Dim> outer;  // innermost first: of all elements, or in an expression of rows of the rows
    std::vector<Dim> inner;  // of a row
    std::vector<ScalarType> dtypes;
    std::vector<bool> is_on_host;  // a number beside a device's arrays
    std::size_t outputs = 0;

    std::int64_t outer_count() const { return count_of(outer); }
    std::int64_t inner_count() const { return count_of(inner); }
    // That are read or written, each once.
    std::int64_t bytes() const;

  private:
    static std::int64_t count_of(const std::vector<Dim>& dims) {
        std::int64_t count = 1;
        for (const Dim& dim : dims) count *= dim.size;
        return count;
    }
};

// One launch on a device, or few, for all elements.
class DeviceFusedKernel : public RefCounted {
  public:
    // arrays: first elements. The work follows what the device was given so far. space: of compile_for_device(), or
    // with other sizes and strides of its kind.
    virtual void launch(const FusedSpace& space, std::span<std::byte* const> arrays, Device device) const = 0;
    virtual FusedKernelText text() const = 0;
};

struct FuserBackend {
    std::string name;  // "llvm"
    // is_number: for each input of the expression, whether it is one number for the whole array. Null, with the reason,
    // when the backend declines it.
    Ptr<const FusedKernel> (*compile)(const FusedExpression& expression, const std::vector<bool>& is_number,
                                      std::string* why) = nullptr;
    // Of a device, instead: the same for tensors that are there.
    DeviceType device = DeviceType::Cpu;
    Ptr<const DeviceFusedKernel> (*compile_for_device)(const FusedExpression& expression, const FusedSpace& space,
                                                       Device device, std::string* why) = nullptr;
};

}  // namespace loupe::runtime
