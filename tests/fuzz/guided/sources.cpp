// SPDX-License-Identifier: Apache-2.0
// Program text: Python that is run, and TorchScript that is compiled. An input is the text.
#include <cstdio>

#include "core/base/parallel.h"
#include "core/tensor/allocator.h"
#include "tests/fuzz/guided/guided.h"
#include "tests/fuzz/source_case.h"

namespace loupe::fuzz {

void begin() {
    set_allocation_limit(std::size_t{64} << 20);
    set_thread_count(1);
}

bool try_input(std::span<const std::uint8_t> input) {
    const std::string wrong = try_source(std::string(input.begin(), input.end()));
    if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
    return wrong.empty();
}

std::string change(const std::string& input, std::uint64_t, const ChangeBytes& change_bytes) {
    return change_bytes(input);
}

void visit_seeds(const VisitSeed& visit) {
    constexpr std::size_t kMostBytes = 4096;
    for (const Program& program : fixture_programs()) {
        if (program.text.size() <= kMostBytes) visit(program.text);
    }
}

}  // namespace loupe::fuzz
