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

// Merges two sorted halves. A comparison of the program's may be inconsistent: std::stable_sort must not see it.
void merge_sort(std::vector<Entry>& entries, std::vector<Entry>& space, std::size_t begin, std::size_t end,
                bool is_reversed) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin) / 2;
    merge_sort(entries, space, begin, middle, is_reversed);
    merge_sort(entries, space, middle, end, is_reversed);
    const auto goes_first = [&](const Entry& right, const Entry& left) {
        return is_reversed ? less(left.key, right.key) : less(right.key, left.key);
    };
    if (!goes_first(entries[middle], entries[middle - 1])) return;
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t at = begin; at < end; ++at) {
        const bool takes_right = left == middle || (right < end && goes_first(entries[right], entries[left]));
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
    merge_sort(entries, space, 0, entries.size(), is_reversed);
    for (std::size_t i = 0; i < entries.size(); ++i) values[i] = std::move(entries[i].value);
    return values;
}

}  // namespace loupe::python
