// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments that no honest program gives.

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/registry.h"

namespace loupe::fuzz {

// Draws that depend on the round alone, or on bytes that are given: those first, one or more a draw.
class Draw {
  public:
    explicit Draw(std::uint64_t seed, std::span<const std::uint8_t> given = {})
        : engine_(seed * 7919 + 17), given_(given) {}
    std::size_t below(std::size_t limit) {
        if (limit == 0) return 0;
        std::size_t drawn = 0;
        for (std::size_t reach = 1; reach < limit; reach *= 256) {
            if (given_.empty()) return engine_() % limit;
            drawn = drawn * 256 + given_.front();
            given_ = given_.subspan(1);
        }
        return given_.data() == nullptr ? engine_() % limit : drawn % limit;
    }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <typename List>
    auto pick(const List& list) {
        return list[below(std::size(list))];
    }

  private:
    std::mt19937_64 engine_;
    std::span<const std::uint8_t> given_;
};

// All of the operator's arguments: drawn by type in even rounds, a sample of the record with exchanges in odd ones.
std::vector<IValue> hostile_arguments(const Operator& op, std::size_t round, Draw& draw);
// The first float32 sample of the record with one argument changed at a time: sizes, dtypes, layouts, numbers and
// counts that do not fit, and outputs that lie in inputs. Empty when the record has no sample.
std::vector<std::vector<IValue>> systematic_arguments(const Operator& op);
// "aten::add.Tensor(self=float32 [2, 3], other=...)"
std::string describe_call(const Operator& op, const std::vector<IValue>& arguments);

}  // namespace loupe::fuzz
