// SPDX-License-Identifier: Apache-2.0
#pragma once
// The keys that a text begins with: a trie over bytes.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace loupe::text {

class TokenTrie {
  public:
    TokenTrie() = default;
    // Keys and their values, which are not negative. Empty keys are left out; of two equal keys the last counts.
    explicit TokenTrie(std::vector<std::pair<std::string_view, std::int32_t>> keys);

    // Calls found(size, value) for each key that `text` begins with, the shortest first.
    template <typename Found>
    void prefixes(std::string_view text, Found&& found) const {
        std::uint32_t node = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const auto byte = static_cast<unsigned char>(text[at]);
            node = at == 0 ? roots_[byte] : child(node, byte);
            if (node == 0) return;
            if (nodes_[node].value >= 0) found(at + 1, nodes_[node].value);
        }
    }
    // Does a key begin with this byte?
    bool begins(char byte) const { return roots_[static_cast<unsigned char>(byte)] != 0; }

  private:
    struct Node {
        std::uint32_t first_child = 0;
        std::uint16_t children = 0;
        unsigned char byte = 0;
        std::int32_t value = -1;
    };
    using Keys = std::vector<std::pair<std::string_view, std::int32_t>>;
    // 0 when there is none.
    std::uint32_t child(std::uint32_t node, unsigned char byte) const {
        std::uint32_t begin = nodes_[node].first_child, end = begin + nodes_[node].children;
        while (begin < end) {
            const std::uint32_t middle = begin + (end - begin) / 2;
            if (nodes_[middle].byte < byte)
                begin = middle + 1;
            else
                end = middle;
        }
        return begin < nodes_[node].first_child + nodes_[node].children && nodes_[begin].byte == byte ? begin : 0;
    }

    std::vector<Node> nodes_;
    std::array<std::uint32_t, 256> roots_{};
};

}  // namespace loupe::text
