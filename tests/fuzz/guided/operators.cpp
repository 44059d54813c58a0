// SPDX-License-Identifier: Apache-2.0
// Calls of operators. An input's first two bytes choose the operator, the third how its arguments are drawn, and the
// rest is what is drawn.
#include <algorithm>
#include <cstdio>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/dispatch/registry.h"
#include "core/tensor/allocator.h"
#include "tests/fuzz/guided/guided.h"
#include "tests/fuzz/hostile_arguments.h"
#include "tests/fuzz/hostile_call.h"

namespace loupe::fuzz {

void begin() {
    set_allocation_limit(std::size_t{64} << 20);
    set_thread_count(1);
}

bool try_input(std::span<const std::uint8_t> input) {
    if (input.size() < 3) return true;
    const auto operators = all_operators();
    const Operator& op = *operators[(input[0] * 256U + input[1]) % operators.size()];
    Draw draw(input[2], input.subspan(3));
    const auto arguments = hostile_arguments(op, input[2], draw);
    try {
        call_and_send_backward(op, arguments);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Internal) return true;
        std::fprintf(stderr, "%s: %s\n", describe_call(op, arguments).c_str(), error.what());
        return false;
    }
    return true;
}

std::string change(const std::string& input, std::uint64_t, const ChangeBytes& change_bytes) {
    return change_bytes(input);
}

void visit_seeds(const VisitSeed& visit) {
    for (std::size_t i = 0; i < all_operators().size(); ++i) {
        for (const char how : {0, 1})
            visit({static_cast<char>(i / 256), static_cast<char>(i % 256), how, 1, 2, 3, 4, 5, 6, 7});
    }
}

}  // namespace loupe::fuzz
