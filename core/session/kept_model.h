// SPDX-License-Identifier: Apache-2.0
#pragma once
// What it takes to have a model again in another process as it was: its weights, and the random numbers that it was
// made with.

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/model/program.h"
#include "core/nn/module.h"
#include "core/ops/random/generator.h"

namespace loupe::session {

struct KeptModel {
    RandomState random;                 // before the model was made
    std::string digest;                 // of all its tensors, and of the source's example inputs
    std::string weights_from;           // what they were given by since it was made; empty: nothing
    nn::Named<Tensor> tensors = {};     // parameters, buffers and other tensors of modules; empty: not kept
    std::string note = {};              // why the run that is kept beside it is of another model; empty: it is not
    std::vector<Tensor> examples = {};  // those in the source's example inputs
};

// Of a model as it is now. with_elements: its tensors too, which it shares.
KeptModel keep_model(const Program& program, const RandomState& random, const std::string& weights_from,
                     bool with_elements);
std::size_t bytes_of(const KeptModel& kept);
// Throws Error (File) where it cannot be written.
void write_kept_model(const KeptModel& kept, const std::filesystem::path& file);
// Throws Error (File) for what is none.
KeptModel read_kept_model(const std::filesystem::path& file);

// Gives a model that was made anew, with the same random numbers, the tensors that were kept. Returns why it is another
// model than the run that was kept beside it, a sentence without its end; empty: its digest is the same.
std::string give_back(const Program& program, const KeptModel& kept);

// Changes whenever an element of the model's tensors may have been changed.
std::string state_of_tensors(const Program& program);

}  // namespace loupe::session
