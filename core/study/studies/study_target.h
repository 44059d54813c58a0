// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one number of a model's output that a study is about.

#include <cstdint>
#include <string>
#include <vector>

#include "core/study/studies/study_record.h"

namespace loupe::session {

struct StudyTarget {
    std::size_t output = 0;  // among the results, flattened
    std::vector<std::int64_t> index;
    std::string text;  // "out[0, 207]"; of a token "out[0, 11, 42] ( fox)"

    // A scalar with its history. Throws Error (Run) where the results are others than those it was chosen of.
    Tensor of(const IValue& result) const;
};

// The option of it.
StudyOption target_option(const StudySubject& subject);
// Which of a batch; the last one it may be.
StudyOption sample_option(std::int64_t last);

// text: empty: the greatest of the sample's scores, of tokens those behind the last; "207": that class, of tokens that
// one behind the last; "[0, 3, 7]" or "out1[0, 3]": an element. Throws Error (Usage) where there is no such element,
// Run for results without numbers.
StudyTarget choose_target(const StudySubject& subject, const IValue& result, const std::string& text,
                          std::int64_t sample);

}  // namespace loupe::session
