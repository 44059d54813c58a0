// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing a model or its weights as another format.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/numpy/npy.h"
#include "core/value/ivalue.h"

namespace loupe::session {

class Program;

// As the extension says: .pt and .pth (a state_dict), .safetensors, .npz, .npy (of one tensor alone). Throws Error
// (Usage).
void write_weights_file(const NamedTensors& tensors, const std::filesystem::path& to);
// Those extensions.
std::span<const std::string_view> weights_extensions();

// What writers of other formats than TorchScript take.
struct WriterArguments {
    // The method's arguments, for a format that traces the model. Null: its examples.
    std::function<std::vector<IValue>(const Program& program, const std::string& method)> inputs = nullptr;
    // Options by name: {"dynamic", "arg0:0=batch"}.
    std::vector<std::pair<std::string, std::string>> options = {};
};

// The extensions that there is a writer for: ".pt", ".npz", ".npy", ".txt", ".dot", ...
std::vector<std::string> convert_extensions();

struct ConvertOptions {
    // Passes to run on the graph that is written (.pt, .ptl, .txt, .ir): the name of a pipeline, or passes with commas
    // between.
    std::string pipeline = "none";
    // Of .safetensors: the most bytes of one file, "5GB"; empty: one file for all.
    std::string shard_size = {};
    WriterArguments writer = {};
};

// What OUT's extension says: .pt and .pth (a TorchScript archive from a model, a state_dict from weights), .safetensors
// (the state_dict as safetensors.torch.save_model writes it), .npz (an array a parameter or buffer), .npy (of one
// tensor alone), .txt and .ir (the graph of forward as PyTorch prints it), .dot (the same for graphviz), and what the
// format registry has writers for: .pt2, .onnx. `from`: a
// model, a checkpoint or another file or folder of weights. Nothing partial is written. Throws Error (Usage) for
// another extension, and for what `from` cannot become; else as open_model, read_weights and the writers.
// open: gives the program of `from` when it is a model, with a graph to write.
// Returns in words what was written of a model that had to be traced: "traced in training mode"; else nothing.
std::string convert(const std::filesystem::path& from, const std::filesystem::path& to,
                    const std::function<std::shared_ptr<Program>()>& open = nullptr,
                    const ConvertOptions& options = {});

}  // namespace loupe::session
