// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a rank says of a collective before it takes part: ranks that say different things must not start it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::distributed {

struct Announcement {
    std::string operation;  // "all_reduce"
    std::string detail;     // what must be equal: "SUM float32 [4, 8]", "from rank 0 float32 [3]"
    std::string place;      // "train.py:33"; need not be equal
    std::uint64_t sequence = 0;

    // Equal for equal operation, detail and sequence; 62 bits, so that it and its complement are positive.
    std::int64_t digest() const;
    // "all_reduce SUM float32 [4, 8] (number 7, train.py:33)".
    std::string line() const;
};

// A line in a fixed number of bytes, as ranks exchange it.
constexpr std::size_t kLineBytes = 384;
std::string padded(const std::string& line);
std::string unpadded(const char* bytes);

// "float32 [4, 8]".
std::string shape_text(const Tensor& tensor);
std::string shapes_text(const TensorList& tensors);

// Of ranks (by their numbers in the program) with their lines: which differ from which, in one line.
std::string disagreement(const std::vector<int>& ranks, const std::vector<std::string>& lines);

}  // namespace loupe::distributed
