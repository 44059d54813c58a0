// SPDX-License-Identifier: Apache-2.0
#include "core/text/token_trie.h"

#include <algorithm>

namespace loupe::text {

TokenTrie::TokenTrie(Keys keys) {
    std::erase_if(keys, [](const auto& key) { return key.first.empty(); });
    std::ranges::stable_sort(keys, {}, &Keys::value_type::first);
    // Nodes of one level after the other, each with the range of the keys below it: children lie side by side.
    struct Waiting {
        std::uint32_t node;
        std::size_t begin, end, depth;
    };
    nodes_.emplace_back();
    std::vector<Waiting> waiting{{0, 0, keys.size(), 0}};
    for (std::size_t next = 0; next < waiting.size(); ++next) {
        auto [node, begin, end, depth] = waiting[next];
        for (; begin < end && keys[begin].first.size() == depth; ++begin) nodes_[node].value = keys[begin].second;
        nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
        while (begin < end) {
            const auto byte = static_cast<unsigned char>(keys[begin].first[depth]);
            std::size_t behind = begin;
            while (behind < end && static_cast<unsigned char>(keys[behind].first[depth]) == byte) ++behind;
            waiting.push_back({static_cast<std::uint32_t>(nodes_.size()), begin, behind, depth + 1});
            nodes_.push_back({.byte = byte});
            ++nodes_[node].children;
            begin = behind;
        }
    }
    for (std::uint32_t i = 0; i < nodes_[0].children; ++i)
        roots_[nodes_[nodes_[0].first_child + i].byte] = nodes_[0].first_child + i;
}

}  // namespace loupe::text
