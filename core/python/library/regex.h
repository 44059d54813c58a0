// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's regular expressions: what the module `re` matches with.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loupe::python {

class Regex {
  public:
    enum Flag : unsigned { kIgnoreCase = 2, kMultiline = 8, kDotAll = 16, kVerbose = 64, kAscii = 256 };
    enum class Mode { Match, Search, FullMatch };
    // Where a group begins and ends, in characters; -1 where it took no part. The first is the whole match.
    using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;

    // Throws PythonError (re.error is ValueError here) for a pattern that is none.
    Regex(std::u32string pattern, unsigned flags);
    ~Regex();
    // Throws PythonError (RecursionError) for texts that nest too deep; can be cancelled.
    std::optional<Spans> find(const std::u32string& text, std::size_t from, Mode mode) const;

    std::size_t group_count() const { return group_count_; }
    const std::vector<std::pair<std::string, std::size_t>>& group_names() const { return names_; }
    unsigned flags() const { return flags_; }

    struct Node;

  private:
    friend class RegexParser;
    std::vector<std::unique_ptr<Node>> nodes_;
    const Node* root_ = nullptr;
    std::size_t group_count_ = 0;
    std::vector<std::pair<std::string, std::size_t>> names_;
    unsigned flags_;
};

std::u32string decode_text(std::string_view utf8);

}  // namespace loupe::python
