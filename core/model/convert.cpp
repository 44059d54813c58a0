// SPDX-License-Identifier: Apache-2.0
#include "core/model/convert.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint_tree.h"
#include "core/formats/torch_writer.h"
#include "core/model/graph_dot.h"
#include "core/model/pipelines.h"
#include "core/model/program.h"
#include "core/model/weights.h"
#include "core/model/written_model.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& from, std::string_view what, std::string hint) {
    throw Error(ErrorKind::Usage, std::string(what), {.file = from.string(), .hint = std::move(hint)});
}

void write_tensors(const NamedTensors& tensors, const fs::path& from, const fs::path& to) {
    if (to.extension() == ".npz") return write_npz(to, tensors);
    if (tensors.size() != 1) {
        refuse(from, concat("holds ", tensors.size(), " tensors; a .npy file holds one"), "write an .npz instead");
    }
    write_npy(to, tensors.front().second);
}

void write_weights(const NamedTensors& tensors, const fs::path& from, const fs::path& to) {
    const std::string extension = to.extension().string();
    if (extension == ".pt" || extension == ".pth") return write_state_dict(tensors, to);
    if (extension == ".npz" || extension == ".npy") return write_tensors(tensors, from, to);
    refuse(from, "holds weights, not a model", "they can become .pt, .pth, .npz, .npy");
}

std::string graph_text(const Program& program, const std::string& pipeline) {
    const ir::Graph& graph = *program.method(program.default_method()).graph();
    return pipeline == "none" ? graph.str() : run_pipeline(pipeline, graph, program.script_module())->str();
}

void write_model(const Program& program, const fs::path& from, const fs::path& to, const std::string& pipeline) {
    const std::string extension = to.extension().string();
    if (extension == ".npz" || extension == ".npy") return write_tensors(program.module().state_dict(), from, to);
    if (extension == ".txt" || extension == ".ir") return write_file_atomically(to, graph_text(program, pipeline));
    if (extension == ".dot") {
        if (program.info()->graph == nullptr)
            throw Error(ErrorKind::Unsupported, program.info()->missing_operators.front());
        return write_file_atomically(to, graph_dot(*program.info()->graph));
    }
    if (pipeline != "none")
        return write_script_module(*model_after(program, program.default_method(), pipeline).module, to);
    if (program.is_eager()) return write_script_module(*program.script_module(), to);
    write_torchscript(program.file(), to);
}

bool is_weights_file(const fs::path& to) { return to.extension() == ".npz" || to.extension() == ".npy"; }

// What a trace holds for good: branches, dropout and normalisation are those of the mode that it ran in.
std::string traced_words(const Program& program, const fs::path& to) {
    if (!program.is_eager() || is_weights_file(to)) return {};
    if (!program.module().is_training()) return "traced in eval mode";
    return "traced in training mode, as the source leaves the model; for inference write it with --mode eval";
}

constexpr std::array<const char*, 11> kExtensions = {".pt",  ".pth", ".ptl", ".ff", ".ts", ".torchscript",
                                                     ".npz", ".npy", ".txt", ".ir", ".dot"};

}  // namespace

void write_weights_file(const NamedTensors& tensors, const fs::path& to) { write_weights(tensors, to, to); }

std::vector<std::string> convert_extensions() { return {kExtensions.begin(), kExtensions.end()}; }

std::string convert(const fs::path& from, const fs::path& to, const std::function<std::shared_ptr<Program>()>& open,
                    const std::string& pipeline) {
    const auto known = convert_extensions();
    if (std::find(known.begin(), known.end(), to.extension().string()) == known.end()) {
        throw Error(ErrorKind::Usage, concat("no writer for '", to.extension().string(), "'"),
                    {.file = to.string(), .hint = concat("there are writers for ", join(known, ", "))});
    }
    if (is_weights_only(from)) {
        write_weights(read_weights(from), from, to);
        return {};
    }
    const std::shared_ptr<Program> program = open ? open() : Program::open(from);
    if (!program) refuse(from, "holds no model", "give the model the name `model`");
    write_model(*program, from, to, pipeline.empty() ? "none" : pipeline);
    return traced_words(*program, to);
}

}  // namespace loupe::session
