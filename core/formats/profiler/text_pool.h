// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts by number, equal ones once: names of events and files, of which a trace has millions and few that differ.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace loupe {

class TextPool {
  public:
    std::uint32_t number_of(std::string_view text) {
        // Neighbours often have the same.
        if (!texts_.empty() && texts_[last_] == text) return last_;
        const auto found = numbers_.find(text);
        if (found != numbers_.end()) return last_ = found->second;
        texts_.emplace_back(text);
        last_ = static_cast<std::uint32_t>(texts_.size() - 1);
        numbers_.emplace(texts_.back(), last_);
        return last_;
    }
    std::string_view text(std::uint32_t number) const { return texts_[number]; }
    std::size_t size() const { return texts_.size(); }
    std::vector<std::string> take() {
        numbers_.clear();
        return {std::make_move_iterator(texts_.begin()), std::make_move_iterator(texts_.end())};
    }

  private:
    std::deque<std::string> texts_;  // at the same place as long as the pool lives
    std::unordered_map<std::string_view, std::uint32_t> numbers_;
    std::uint32_t last_ = 0;
};

}  // namespace loupe
