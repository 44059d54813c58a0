// SPDX-License-Identifier: Apache-2.0
#pragma once
// The call of an operator as it was recorded: its arguments put together again from the event and the kept elements.

#include <functional>
#include <string>
#include <vector>

#include "core/dispatch/registry.h"
#include "core/record/recording.h"

namespace loupe::session {

// Of a recorded value; undefined where they were not kept.
using ElementsOf = std::function<Tensor(ValueId)>;

// A tensor among the arguments.
struct TensorPlace {
    std::size_t argument = 0;
    int element = -1;  // of a list
    ValueId value = 0;
    std::string name;  // "weight", "tensors[1]"
};

struct RecordedCall {
    const Operator* op = nullptr;
    std::vector<IValue> arguments;  // tensors on the host, without a history
    std::vector<TensorPlace> places;

    Tensor tensor(const TensorPlace& place) const;
    void set_tensor(const TensorPlace& place, const Tensor& t);
};

// Of a forward event. Throws Error (Unsupported) for an event without an operator's record, Error (Usage) where
// elements were not kept.
RecordedCall recorded_call(const Recording& recording, const Event& event, const ElementsOf& elements);

}  // namespace loupe::session
