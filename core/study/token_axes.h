// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which axes of the values of a run stand for the tokens of a text. They are followed from the token ids through the
// operators, by what each does to the axes of its inputs; where that is not known an axis stands for nothing.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/record/recording.h"

namespace loupe::session {

// The tokens of a text that a run was on.
struct TokenSequence {
    std::string argument;           // of the method: "input_ids"
    std::vector<std::int64_t> ids;  // also those before them whose keys and values a cache held
    std::int64_t held = 0;          // how many a cache held
};
auto fields(Like<TokenSequence> auto& it) { return std::tie(it.argument, it.ids, it.held); }

// Its places stand for the tokens of a sequence, from `first` on.
struct TokenAxis {
    int sequence = -1;  // -1: for none
    std::int64_t first = 0;
    std::int64_t period = 0;  // not 0: as many tokens, again and again: heads and tokens in one axis
    bool operator==(const TokenAxis&) const = default;

    std::int64_t token_at(std::int64_t place) const { return first + (period > 0 ? place % period : place); }
};
auto fields(Like<TokenAxis> auto& it) { return std::tie(it.sequence, it.first, it.period); }

class TokenAxes {
  public:
    using Axes = std::vector<TokenAxis>;  // an entry a dimension

    // starts: of values that were there before the run.
    TokenAxes(const Recording& recording, std::map<ValueId, Axes> starts);

    // Of a gradient those of what it is the gradient of. Empty where no axis stands for tokens.
    const Axes& of(ValueId value) const;

  private:
    void follow(const Event& event);

    const Recording& recording_;
    std::unordered_map<ValueId, Axes> axes_;
};

// The value of an argument that is said to be the tokens: an integer one that an embedding looks up. arguments: names
// of the method's arguments. In the order of their look-ups.
std::vector<ValueId> token_inputs(const Recording& recording, const std::vector<std::string>& arguments);

}  // namespace loupe::session
