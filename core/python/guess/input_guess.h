// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the forward of a model takes: shapes by its layers, by what forward does with its arguments and by what it calls
// them, tried until it runs.

#include <chrono>
#include <string>
#include <vector>

#include "core/formats/eager_model.h"
#include "core/python/guess/trial.h"
#include "core/value/schema.h"

namespace loupe::python {

class InputGuesser {
  public:
    // schema: of forward, with self.
    InputGuesser(Evaluator& evaluator, IValue model, const FunctionSchema& schema);

    // expressions: arguments that a text nearby gives; they are tried first. Empty: nothing runs.
    std::vector<InputGuess> guess(const std::vector<std::string>& expressions);

  private:
    // An argument without a default, and what it may be.
    struct Slot {
        std::string name;
        std::vector<InputGuess> candidates;
        std::size_t chosen = 0;
    };

    std::vector<InputGuess> candidates_for(const Argument& argument, std::size_t index) const;
    std::vector<InputGuess> from_expressions(const std::vector<std::string>& expressions);
    Trial attempt(const std::vector<InputGuess>& inputs);
    std::vector<InputGuess> chosen() const;
    bool search();
    bool try_all();
    bool try_alike();
    void widen_batches();
    bool repair(const Trial& failed);
    bool improve(Trial& best);

    Evaluator& evaluator_;
    const IValue model_;
    const FunctionSchema& schema_;
    std::vector<Slot> slots_;
    std::size_t trials_ = 0;
    bool ran_out_of_time_ = false;
    std::chrono::steady_clock::time_point end_;
};

}  // namespace loupe::python
