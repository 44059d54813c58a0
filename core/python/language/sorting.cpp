// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/sorting.h"

#include <algorithm>

#include "core/python/language/operations.h"

namespace loupe::python {
namespace {

struct Entry {
    IValue key;
    IValue value;
};

bool goes_before(const Entry& a, const Entry& b) { return less(a.key, b.key); }

// Behind the run that is in order as it stands, or backwards, each entry finds its place by halving. CPython asks the
// same comparisons in the same order, of a list this short altogether.
void sort_short(std::vector<Entry>& entries, std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t i) { return entries.begin() + static_cast<std::ptrdiff_t>(i); };
    std::size_t run = begin + 1;
    if (run >= end) return;
    const bool is_falling = goes_before(entries[run], entries[run - 1]);
    for (++run; run < end && goes_before(entries[run], entries[run - 1]) == is_falling; ++run) continue;
    if (is_falling) std::reverse(at(begin), at(run));
    for (; run < end; ++run) {
        std::size_t low = begin;
        std::size_t high = run;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (goes_before(entries[run], entries[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        std::rotate(at(low), at(run), at(run + 1));
    }
}

// Merges two sorted halves. A comparison of the program's may be inconsistent: std::stable_sort must not see it.
void merge_sort(std::vector<Entry>& entries, std::vector<Entry>& space, std::size_t begin, std::size_t end) {
    constexpr std::size_t kShort = 64;
    if (end - begin < kShort) return sort_short(entries, begin, end);
    const std::size_t middle = begin + (end - begin) / 2;
    merge_sort(entries, space, begin, middle);
    merge_sort(entries, space, middle, end);
    if (!goes_before(entries[middle], entries[middle - 1])) return;
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t at = begin; at < end; ++at) {
        const bool takes_right = left == middle || (right < end && goes_before(entries[right], entries[left]));
        space[at] = takes_right ? entries[right++] : entries[left++];
    }
    for (std::size_t at = begin; at < end; ++at) entries[at] = std::move(space[at]);
}

}  // namespace

std::vector<IValue> sorted_values(std::vector<IValue> values, const IValue& key, bool is_reversed) {
    std::vector<Entry> entries;
    entries.reserve(values.size());
    for (IValue& value : values) {
        IValue sorted_by = key.is_none() ? value : call(key, std::vector<IValue>{value});
        entries.push_back({std::move(sorted_by), std::move(value)});
    }
    std::vector<Entry> space(entries.size());
    // Backwards before and after, what is equal keeps its order.
    if (is_reversed) std::reverse(entries.begin(), entries.end());
    merge_sort(entries, space, 0, entries.size());
    if (is_reversed) std::reverse(entries.begin(), entries.end());
    for (std::size_t i = 0; i < entries.size(); ++i) values[i] = std::move(entries[i].value);
    return values;
}

}  // namespace loupe::python
