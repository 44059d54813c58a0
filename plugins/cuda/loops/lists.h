// SPDX-License-Identifier: Apache-2.0
#pragma once
// List programs over many tensors in one launch: the tensors are cut into chunks, a block of threads each, and their
// addresses pass as the kernel's parameter. Includes nothing of the engine but what programs are.

#include "core/kernels/list_program.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

inline constexpr std::int64_t kListChunk = 1 << 14;  // elements
inline constexpr int kListEntries = 96;
inline constexpr int kListNumbers = 256;

// As many entries as a parameter holds; those of one dtype a tensor.
struct ListLaunch {
    ListProgram program;
    Element element[ListProgram::kMaxTensors] = {};
    Element scalar_element[ListProgram::kMaxScalars] = {};
    const float* skip = nullptr;
    float* flag = nullptr;
    int entries = 0;
    int used_numbers = 0;
    double numbers[kListNumbers] = {};
    struct Entry {
        char* data[ListProgram::kMaxTensors] = {};
        const char* scalar[ListProgram::kMaxScalars] = {};
        std::int64_t count = 0;
        std::int64_t first_chunk = 0;
        int numbers = 0;  // where its own begin
    } entry[kListEntries];
    std::int64_t chunks = 0;
};
// The greatest parameter that a kernel takes on devices of compute capability 7 and above.
static_assert(sizeof(ListLaunch) <= 32764);

void run_list(const Queue& queue, const ListLaunch& launch, bool in_double);

}  // namespace loupe::cuda
