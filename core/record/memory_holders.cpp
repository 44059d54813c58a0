// SPDX-License-Identifier: Apache-2.0
#include "core/record/memory_holders.h"

#include <algorithm>
#include <array>

#include "core/base/strings.h"
#include "core/record/memory_sums.h"
#include "core/tensor/memory_category.h"

namespace loupe::session {
namespace {

std::string size_of(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

}  // namespace

std::string holders_text(const Recording& recording, EventId event) {
    const std::vector<AliveBlock> alive = MemoryBook(recording).alive_at(event);
    std::array<std::int64_t, kCategories> sums{};
    for (const AliveBlock& block : alive)
        sums[static_cast<std::size_t>(block.allocation.category)] += block.allocation.bytes;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] > 0) order.push_back(i);
    }
    if (order.empty()) return {};
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
    std::vector<std::string> categories, blocks;
    for (const std::size_t each : order)
        categories.push_back(concat(category_name(static_cast<Category>(each)), " ", size_of(sums[each])));
    constexpr std::size_t kMost = 5;
    for (std::size_t i = 0; i < std::min(kMost, alive.size()); ++i) {
        const Allocation& block = alive[i].allocation;
        const std::string_view of = !block.owner.empty() ? block.owner : block.scope;
        blocks.push_back(
            concat(size_of(block.bytes), of.empty() ? "" : " ", of, " (", category_name(block.category), ")"));
    }
    return concat("held then: ", join(categories, ", "), "; the largest: ", join(blocks, ", "));
}

}  // namespace loupe::session
