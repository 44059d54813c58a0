// SPDX-License-Identifier: Apache-2.0
#pragma once
// The CUDA C++ of a fused expression, for arrays that lie in memory as a space says. Kernels know the kind of a space
// (how many dimensions, which arrays lie densely, which are numbers), not its sizes: equal texts are one kernel.
//
//     extern "C" __global__ void fused_loop(Words<...> a)  all elements, or rows
//     extern "C" __global__ void add_sums0(Words<4> a)    a sum over the rows, from those of the teams

#include <cstdint>
#include <string>
#include <vector>

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::cuda {

// An argument of a kernel, a word of 64 bits each.
struct SourceWord {
    enum class What : std::uint8_t {
        Address,     // of an array
        HostNumber,  // an array's element
        Count,       // of all elements, or of rows
        RowLength,
        OuterSize,
        OuterStride,  // of an array along a dimension, in bytes
        InnerSize,
        InnerStride,
        Parts,  // where teams leave their sums of an output
    };
    What what = What::Count;
    std::uint32_t array = 0;
    std::uint32_t dim = 0;
};

struct FusedSource {
    std::string text;
    std::vector<int> line_of;  // by line of the text: of the expression, from 0; -1: none alone
    std::vector<SourceWord> words;
    int block = 256;     // threads
    int team = 0;        // that share a row; 0: no rows
    int width = 1;       // elements that a thread takes at once; addresses are multiples of as many
    bool holds = false;  // rows stay in registers
    struct Sum {
        std::uint32_t array = 0;
        ScalarType as = ScalarType::Float32;
    };
    std::vector<Sum> sums;  // over the rows
};

// Raised when the generator makes other text of the same expression.
inline constexpr int kSourceVersion = 1;

// The space with one dimension at least outside, and of rows inside: of size 1, where there is none.
runtime::FusedSpace with_dims(runtime::FusedSpace space, bool is_of_rows);

// The expression has no refusal(). is_aligned: first elements begin where sixteen bytes do. Throws Error (Unsupported)
// for more arrays or dimensions than a kernel's arguments hold.
FusedSource make_source(const runtime::FusedExpression& expression, const runtime::FusedSpace& space, bool is_aligned);

}  // namespace loupe::cuda
