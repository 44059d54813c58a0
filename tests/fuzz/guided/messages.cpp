// SPDX-License-Identifier: Apache-2.0
// What another process says. An input's first byte chooses who reads it, the rest is what the damage of a recorded
// stream draws.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/deep_thread.h"
#include "core/dispatch/plugin_list.h"
#include "tests/fuzz/guided/guided.h"
#include "tests/fuzz/message_sides.h"

namespace loupe::fuzz {
namespace {

std::vector<std::unique_ptr<Side>>& sides() {
    static std::vector<std::unique_ptr<Side>> all;
    return all;
}

}  // namespace

// Not the engine itself, which goes on from what it was told before: an input alone would not show what is wrong.
void begin() {
    allow_deep_stack();
    plugins();
    const auto folder = std::filesystem::current_path();
    const auto rows = std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/fixtures/watch/net.watch";
    const std::vector<Talk> talks = record_talks(folder);
    sides().push_back(window_side(talks));
    sides().push_back(link_side(talks));
    sides().push_back(host_side(talks));
    sides().push_back(front_side(talks, folder));
    sides().push_back(mux_side(talks));
    sides().push_back(rows_side(rows, folder));
}

bool try_input(std::span<const std::uint8_t> input) {
    if (input.empty()) return true;
    Chance chance(input[0], input.subspan(1));
    const std::string wrong = sides()[input[0] % sides().size()]->try_one(chance);
    if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
    return wrong.empty();
}

std::string change(const std::string& input, std::uint64_t, const ChangeBytes& change_bytes) {
    return change_bytes(input);
}

void visit_seeds(const VisitSeed& visit) {
    for (char side = 0; side < 6; ++side) visit({side, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

}  // namespace loupe::fuzz
