// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing a model or its weights as another format.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/numpy/npy.h"

namespace loupe::session {

class Program;

// As the extension says: .pt and .pth (a state_dict), .npz, .npy (of one tensor alone). Throws Error (Usage).
void write_weights_file(const NamedTensors& tensors, const std::filesystem::path& to);

// The extensions that there is a writer for: ".pt", ".npz", ".npy", ".txt", ".dot", ...
std::vector<std::string> convert_extensions();

// What OUT's extension says: .pt and .pth (a TorchScript archive from a model, a state_dict from weights), .npz (an
// array a parameter or buffer), .npy (of one tensor alone), .txt and .ir (the graph of forward as PyTorch prints it),
// .dot (the same for graphviz). `from`: a model, a checkpoint or an .npz. Nothing partial is written. Throws Error
// (Usage) for another extension, and for what `from` cannot become; else as open_model, read_weights and the writers.
// open: gives the program of `from` when it is a model, with a graph to write.
// pipeline: passes to run on the graph that is written (.pt, .ptl, .txt, .ir): the name of one, or passes with commas
// between. Returns in words what was written of a model that had to be traced: "traced in training mode"; else nothing.
std::string convert(const std::filesystem::path& from, const std::filesystem::path& to,
                    const std::function<std::shared_ptr<Program>()>& open = nullptr,
                    const std::string& pipeline = "none");

}  // namespace loupe::session
