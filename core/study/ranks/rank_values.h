// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which values of several ranks are the same one, and whether they are equal: by their numbers, and by their elements
// where both were kept.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/study/ranks/match_collectives.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// Of a value of the rank at that place; undefined where they were not kept. May be empty.
using RankElements = std::function<Tensor(std::size_t place, ValueId value)>;

enum class Agreement { Equal, Different, Unknown };

// Sums may differ by what adding up in another order makes of them; everything else must be the same.
Agreement compare_statistics(const Statistics& a, const Statistics& b);

struct RankValue {
    std::size_t place = 0;
    ValueId value = 0;
};
Agreement compare_values(const RankSet& set, const RankElements& elements, RankValue a, RankValue b);

// The same value on several ranks, in classes of equal ones.
struct RankClasses {
    std::vector<int> of;  // by place; -1: there is no such value, or nothing is known of it
    int count = 0;
    std::vector<std::size_t> most;  // places of the largest class; of as large ones that of the first rank
    std::vector<std::size_t> odd;   // places of the others
    bool are_equal() const { return count == 1; }
};
// values: by place; 0: none.
RankClasses classify_values(const RankSet& set, const RankElements& elements, const std::vector<ValueId>& values);

// Parameters by name, each with its versions: the value at the beginning, and one a write, also by operators in front
// of the first call of the module, when it had no name yet.
using ParameterVersions = std::map<std::string, std::vector<ValueId>>;
ParameterVersions parameter_versions(const Recording& recording);

// What a collective left on a rank, in the order of its tensors: values that it or its wait made. Empty: the recording
// does not say.
std::vector<ValueId> results_of(const Recording& recording, const Collective& collective);
// Are they the same on all ranks, by what the operation is?
bool gives_all_the_same(std::string_view operation);

}  // namespace loupe::session
