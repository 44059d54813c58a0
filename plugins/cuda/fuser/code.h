// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine code of a kernel's text, kept on disk, and what is said of it.

#include <string>
#include <vector>

#include "plugins/cuda/fuser/nvrtc.h"

namespace loupe::cuda {

// By NVRTC, or from the disk (core/runtime/fuse/kernel_files.h) by text, compiler and architecture. Throws as
// compile_source() does.
CompiledCode compiled_code(const std::string& text, int architecture, bool* from_disk);

struct KernelResources {
    int registers = 0;  // of a thread
    int shared = 0;     // bytes of a block
    int spilled = 0;    // bytes of a thread that registers did not hold
};
// What the assembler says of a function.
KernelResources resources_in(const std::string& log, const std::string& function);
// Blocks of so many threads that one processor of the architecture runs at once; 0 where it is not known.
int blocks_at_once(int architecture, const KernelResources& resources, int threads);
int threads_of_processor(int architecture);
// "sm_90: 32 registers a thread, 128 bytes of shared memory a block; 8 blocks of 256 threads at once: 100 % of a
// processor". blocks: 0 where they are not known.
std::string resources_text(int architecture, const KernelResources& resources, int threads, int blocks);

// PTX without what it says for debuggers. line_of: by line of the source, a line of the expression; the same for PTX.
struct PtxListing {
    std::string text;
    std::vector<int> line_of;
};
PtxListing list_ptx(const std::string& ptx, const std::vector<int>& line_of);

}  // namespace loupe::cuda
