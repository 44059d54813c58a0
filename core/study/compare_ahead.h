// SPDX-License-Identifier: Apache-2.0
#pragma once
// Differences of a run from a reference that are measured while it runs: what an operator made is in the cache then,
// and need not be read again. Which event of the reference stands for one is guessed from the order; the comparison
// behind the run aligns both, takes the differences of pairs that it finds here, and measures the others itself.

#include <optional>
#include <unordered_map>

#include "core/study/run_differences.h"

namespace loupe::session {

class AheadComparison {
  public:
    // options: those that the comparison is likely to be asked with.
    AheadComparison(const ComparedRun& reference, const CompareOptions& options);

    // The event, before it has a number, and its outputs; undefined: not to be compared. Throws nothing.
    void take(const Event& event, const TensorList& made);
    // The run is over: the reference is let go of.
    void end() { elements_ = nullptr; }

    // Null: this pair was not measured, or of another reference or tolerance.
    const Difference* find(const ComparedRun& reference, const CompareOptions& options, ValueId here,
                           ValueId there) const;
    std::size_t size() const { return known_.size(); }

  private:
    const Event* guess(const Event& event, const TensorList& made);
    void measure(ValueId here, ValueId there, const Tensor& made);

    std::weak_ptr<const Recording> recording_;
    std::function<Tensor(ValueId)> elements_;
    std::optional<double> rtol_, atol_;
    EventId next_ = 1;  // of the reference
    struct Known {
        ValueId there = 0;
        Difference difference;
    };
    std::unordered_map<ValueId, Known> known_;
};

}  // namespace loupe::session
