// SPDX-License-Identifier: Apache-2.0
#include "core/model/convert.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/format_registry.h"
#include "core/formats/safetensors/safetensors_writer.h"
#include "core/formats/safetensors/sharded_writer.h"
#include "core/formats/torch_writer.h"
#include "core/ir/function.h"
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

constexpr const char* kSafetensors = ".safetensors";

// The weights of a model, with the metadata that transformers asks for, and the names that share a tensor's memory.
struct SafetensorsWeights {
    std::vector<SafetensorsEntry> entries;
    SafetensorsMetadata metadata;
};

SafetensorsWeights as_safetensors(const CheckpointWeights& weights) {
    const auto shared = shared_names(weights.tensors);
    std::map<std::string, std::string> metadata(shared.begin(), shared.end());
    const std::set<std::string> left_out = [&] {
        std::set<std::string> names;
        for (const auto& [name, kept] : shared) names.insert(name);
        return names;
    }();
    metadata.emplace("format", "pt");
    std::unordered_map<std::string, const ForeignWeight*> foreign;
    for (const ForeignWeight& each : weights.foreign) foreign.emplace(each.name, &each);
    SafetensorsWeights out{{}, {metadata.begin(), metadata.end()}};
    for (const auto& [name, tensor] : weights.tensors) {
        if (left_out.contains(name)) continue;
        const auto other = foreign.find(name);
        if (other == foreign.end())
            out.entries.push_back(safetensors_entry(name, tensor));
        else
            out.entries.push_back({name, tensor, other->second->type, other->second->shape, true});
    }
    return out;
}

void refuse_overwriting(const std::vector<fs::path>& written, const fs::path& from) {
    std::error_code failed;
    for (const fs::path& read : files_of_weights(from)) {
        for (const fs::path& file : written) {
            if (fs::equivalent(file, read, failed))
                throw Error(ErrorKind::Usage, "would be overwritten, and is read: give another name",
                            {.file = file.string()});
        }
    }
}

void write_safetensors_files(const CheckpointWeights& weights, const fs::path& from, const fs::path& to,
                             const std::string& shard_size) {
    const SafetensorsWeights all = as_safetensors(weights);
    if (shard_size.empty()) return write_safetensors(all.entries, all.metadata, to);
    const std::uint64_t bytes = shard_bytes_in(shard_size);
    refuse_overwriting(shard_files(all.entries, to, bytes), from);
    write_sharded_safetensors(all.entries, all.metadata, to, bytes);
}

void write_weights(const NamedTensors& tensors, const fs::path& from, const fs::path& to) {
    const std::string extension = to.extension().string();
    if (extension == kSafetensors) return write_safetensors_files({.tensors = tensors}, from, to, {});
    if (extension == ".pt" || extension == ".pth") return write_state_dict(tensors, to);
    if (extension == ".npz" || extension == ".npy") return write_tensors(tensors, from, to);
    refuse(from, "holds weights, not a model", concat("they can become ", join(weights_extensions(), ", ")));
}

std::string graph_text(const Program& program, const std::string& pipeline) {
    const ir::Graph& graph = *program.method(program.default_method()).graph();
    return pipeline == "none" ? graph.str() : run_pipeline(pipeline, graph, program.script_module())->str();
}

// With a writer of the registry: the graph of forward, or what the pipeline leaves of it.
void write_graph(const FormatWriter& writer, const Program& program, const fs::path& to, const std::string& pipeline,
                 const WriterArguments& arguments) {
    const std::string method = program.default_method();
    WriteRequest request;
    WrittenModel after;
    if (pipeline == "none") {
        request.module = program.script_module();
        request.graph = program.method(method).graph();
        request.is_as_read = program.form() == ModelForm::AsRead;
    } else {
        after = model_after(program, method, pipeline);
        request.module = after.module;
        request.graph = dynamic_cast<const ir::ScriptFunction&>(*after.module->type()->find_method(method)).graph();
    }
    request.examples = arguments.inputs ? arguments.inputs(program, method)
                                        : program.make_arguments(program.default_inputs(method), method);
    request.is_traced = program.is_eager();
    if (request.is_traced) {
        const auto& formals = program.schema(method).arguments;
        for (std::size_t i = 1; i < formals.size(); ++i) request.names.push_back(formals[i].name);
    }
    request.options = arguments.options;
    request.parts = program.file().owner;
    writer.write(request, to);
}

void write_model(const Program& program, const fs::path& from, const fs::path& to, const ConvertOptions& options) {
    const std::string extension = to.extension().string();
    const std::string pipeline = options.pipeline.empty() ? "none" : options.pipeline;
    if (const FormatWriter* writer = FormatRegistry::instance().writer_for(to))
        return write_graph(*writer, program, to, pipeline, options.writer);
    if (!options.writer.options.empty()) {
        throw Error(ErrorKind::Usage,
                    concat("a ", extension, " file has no option --", options.writer.options[0].first),
                    {.file = to.string()});
    }
    if (extension == kSafetensors)
        return write_safetensors_files({.tensors = program.module().state_dict()}, from, to, options.shard_size);
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

bool is_weights_file(const fs::path& to) {
    return to.extension() == ".npz" || to.extension() == ".npy" || to.extension() == kSafetensors;
}

// Of a weights file, in a format that has no such types.
std::string decoded_words(const CheckpointWeights& weights) {
    if (weights.foreign.empty()) return {};
    const ForeignWeight& first = weights.foreign.front();
    return concat(weights.foreign.size(), weights.foreign.size() == 1 ? " tensor is" : " tensors are",
                  " written as float32: ", first.name, " is ", first.type);
}

std::string convert_weights(const fs::path& from, const fs::path& to, const ConvertOptions& options) {
    const CheckpointWeights weights = read_weights_file(from);
    if (to.extension() == kSafetensors) {
        write_safetensors_files(weights, from, to, options.shard_size);
        return {};
    }
    write_weights(tensors_of(weights), from, to);
    return decoded_words(weights);
}

// What a trace holds for good: branches, dropout and normalisation are those of the mode that it ran in.
std::string traced_words(const Program& program, const fs::path& to) {
    if (!program.is_eager() || is_weights_file(to)) return {};
    if (!program.module().is_training()) return "traced in eval mode";
    return "traced in training mode, as the source leaves the model; for inference write it with --mode eval";
}

constexpr std::array<const char*, 12> kExtensions = {".pt",          ".pth", ".ptl", ".ff",  ".ts", ".torchscript",
                                                     ".safetensors", ".npz", ".npy", ".txt", ".ir", ".dot"};

}  // namespace

std::span<const std::string_view> weights_extensions() {
    static constexpr std::array<std::string_view, 5> kAll = {".pt", ".pth", kSafetensors, ".npz", ".npy"};
    return kAll;
}

void write_weights_file(const NamedTensors& tensors, const fs::path& to) { write_weights(tensors, to, to); }

std::vector<std::string> convert_extensions() {
    plugins();  // their writers
    std::vector<std::string> extensions(kExtensions.begin(), kExtensions.end());
    for (const FormatWriter& writer : FormatRegistry::instance().writers())
        extensions.insert(extensions.end(), writer.extensions.begin(), writer.extensions.end());
    return extensions;
}

std::string convert(const fs::path& from, const fs::path& to, const std::function<std::shared_ptr<Program>()>& open,
                    const ConvertOptions& options) {
    const auto known = convert_extensions();
    if (std::find(known.begin(), known.end(), to.extension().string()) == known.end()) {
        throw Error(ErrorKind::Usage, concat("no writer for '", to.extension().string(), "'"),
                    {.file = to.string(), .hint = concat("there are writers for ", join(known, ", "))});
    }
    if (!options.shard_size.empty() && to.extension() != kSafetensors)
        throw Error(ErrorKind::Usage, "only .safetensors is written in several files", {.file = to.string()});
    if (is_weights_only(from)) return convert_weights(from, to, options);
    const std::shared_ptr<Program> program = open ? open() : Program::open(from);
    if (!program) refuse(from, "holds no model", "give the model the name `model`");
    write_model(*program, from, to, options);
    return traced_words(*program, to);
}

}  // namespace loupe::session
