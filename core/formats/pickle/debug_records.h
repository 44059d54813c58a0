// SPDX-License-Identifier: Apache-2.0
#pragma once
// The .debug_pkl beside each source file of an archive: maps ranges of the generated code to ranges in the user's
// source.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/source.h"

namespace loupe {

// Numbers of places, over all files of an archive: other records refer to a place by its number.
class PlaceTags {
  public:
    // first: the number of the first new place. Ranges without a source are one place.
    explicit PlaceTags(std::int64_t first = 0) : next_(first) {}
    std::int64_t tag(const ir::SourceRange& range);
    bool knows(const ir::SourceRange& range) const { return tags_.contains(key(range)); }

  private:
    using Key = std::tuple<const ir::Source*, std::size_t, std::size_t>;
    static Key key(const ir::SourceRange& range);

    std::map<Key, std::int64_t> tags_;
    std::vector<std::shared_ptr<const ir::Source>> kept_;  // kept alive, so that addresses are unique
    std::int64_t next_;
};

struct TaggedPlace {
    ir::GeneratedFrom place;
    std::int64_t tag = -1;  // -1: none was written
};

// Both forms, the one with a table of lines (from PyTorch 1.10 on) and the one before it. Ranges of one source share
// it. Throws Error (File) when damaged.
std::vector<TaggedPlace> parse_tagged_records(std::string_view pickle);
std::vector<ir::GeneratedFrom> parse_debug_records(std::string_view pickle);
// The form with a table of lines, for a file with these places, which are by offset.
std::string write_debug_records(const std::vector<ir::GeneratedFrom>& places, PlaceTags& tags);

}  // namespace loupe
