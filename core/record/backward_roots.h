// SPDX-License-Identifier: Apache-2.0
#pragma once
// What backward starts from, made of what a method gave. Runs, recordings, their repetition, what-if, the kernels'
// panel and the command line all start here.

#include <functional>
#include <optional>
#include <string>

#include "core/model/backward_from.h"
#include "core/model/program.h"
#include "core/value/ivalue.h"

namespace loupe::session {

struct BackwardRoots {
    TensorList tensors;                          // that require grad
    std::function<TensorList()> make_gradients;  // of them, one each
    std::string text;                            // "sum of outputs"
    bool is_loss = false;                        // see BackwardStart
};

// A choice with the files it names read, and Default decided.
class BackwardSource {
  public:
    // seed: of the run, for made-up data. Throws Error (Usage, File).
    BackwardSource(const BackwardFrom& from, const PreparedMethod& method, std::uint64_t seed = 0);

    const BackwardFrom& chosen() const { return from_; }
    // For runs on a batch that repeats its examples: targets with too few rows are repeated with them.
    void repeat_targets() { repeats_targets_ = true; }
    // A loss is computed here, as a part of the forward phase: observed, and under the precision that is on. Throws
    // Error (Usage) for a choice that does not fit the output, and what computing the loss throws.
    BackwardRoots roots(const PreparedMethod& method, const IValue& output) const;

  private:
    BackwardRoots of_loss(const Tensor& loss) const;
    BackwardRoots of_element(const TensorList& outputs) const;
    BackwardRoots of_outputs(const TensorList& outputs) const;
    IValue target(const Tensor& output) const;
    Tensor data_target(const Tensor& output) const;

    BackwardFrom from_;
    std::uint64_t seed_;
    nn::ModulePtr loss_;            // Kind::Loss
    std::optional<IValue> target_;  // typed or of a file
    mutable Tensor data_target_;    // of the data, for as many rows as an output had last; undefined: not yet read
    mutable std::int64_t data_rows_ = 0;
    bool repeats_targets_ = false;
    TensorList cotangents_;  // by output; undefined where there is none
};

// Roots of a loss that was computed elsewhere: a scalar.
BackwardRoots roots_of_loss(const Tensor& loss, const std::string& text);
// Roots of outputs; cotangents: one an output, undefined or missing means ones.
BackwardRoots roots_of_outputs(const TensorList& outputs, const TensorList& cotangents = {});

// Backward from the roots. A recording that watches has what it starts from as the first event of the phase. Throws
// Error (Run) when nothing requires grad.
void run_backward(const BackwardRoots& roots);

// cot0, cot1, ... of an .npz, by output; empty for another file. Throws Error (Usage, File).
TensorList read_cotangents(const std::string& file);

}  // namespace loupe::session
