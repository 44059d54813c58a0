// SPDX-License-Identifier: Apache-2.0
#pragma once
// Explain this number: the operator and the elements that made an element of a recorded value, with their shares, one
// step back or all the way to inputs and weights; and what an element reaches.
//
// Shares are coefficient * element, the coefficient from the derivative of that one operator. Of an operator that is
// linear in what it read they are exact, and add up with what it adds itself; of a product of two activations the first
// is the source and the other its coefficient, or the one that weighs (all between 0 and 1: attention, a gate). Of
// others they are "gradient x input" (Shrikumar et al. 2016), and a remainder is left.

#include "core/study/explanation.h"
#include "core/study/recorded_call.h"

namespace loupe::session {

// What a question may look at.
struct ExplainedRun {
    const Recording& recording;
    ElementsOf elements;
    std::uint64_t seed = 0;  // of its random numbers
    std::size_t most = 32;   // elements listed of each tensor
};

// Throws Error (Usage) for an index that is not in the value, and where its elements were not kept.
Explanation explain_element(const ExplainedRun& run, ValueId value, const Shape& index);
// All the way: how much of it came from each input, weight and constant, by one walk back through the events.
Explanation explain_to_inputs(const ExplainedRun& run, ValueId value, const Shape& index);
// Forward: the derivative of everything that is made of the element in this run.
Explanation explain_reach(const ExplainedRun& run, ValueId value, const Shape& index);

// Of a tensor of which no element was named: its first NaN, else its first Inf, else the greatest by magnitude.
Shape telling_index(const Tensor& t);

// The element that a question is about.
struct AskedElement {
    Tensor tensor;
    std::int64_t flat = 0;
    Explanation answer;  // with its place and number
};
AskedElement asked_element(const ExplainedRun& run, ValueId value, const Shape& index);
// Where its producer stands.
void fill_event(const Recording& recording, EventId event, Explanation& out);

// A value that its producer did not give as it is: another view of the memory, or the same written since. The value
// that held the element at the same place before; none: it is not known.
struct SameMemory {
    ValueId value = 0;
    std::int64_t flat = 0;
};
class MemoryBefore {
  public:
    MemoryBefore(const Recording& recording, ValueId id);
    SameMemory find(std::int64_t flat) const;

  private:
    const Recording& recording_;
    ValueId id_;
    std::vector<ValueId> before_;  // on the same memory, the last first
};
// Is it among the outputs of its producer?
bool is_output(const Recording& recording, ValueId value);
// Gradients of the same forward value that were added up into this one, which event read.
std::vector<ValueId> added_gradients(const Recording& recording, ValueId sum);

}  // namespace loupe::session
