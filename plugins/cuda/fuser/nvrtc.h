// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA C++ to machine code by NVRTC, NVIDIA's run-time compiler, which needs no GPU. Its library is loaded at the first
// call. What kernels include is part of this program.

#include <string>

namespace loupe::cuda {

struct CompiledCode {
    std::string ptx;
    std::string cubin;
    std::string log;  // the assembler's: registers, shared memory
};

// "" when there is NVRTC, else why there is none.
const std::string& nvrtc_problem();
// "13.0"; empty without NVRTC.
std::string nvrtc_version();
// All that the code hangs on besides its text: the compiler's version, its options, the headers.
std::string compiler_key(int architecture);

// architecture: 90 for sm_90. Throws Error (Plugin) with the first error in one line: "fused.cu(12): identifier "x" is
// undefined".
CompiledCode compile_source(const std::string& text, int architecture);

}  // namespace loupe::cuda
