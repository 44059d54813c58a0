// SPDX-License-Identifier: Apache-2.0
#include "core/python/pretrained_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/ordered_json.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/checkpoint/weights_index.h"
#include "core/formats/checkpoint/weights_tree.h"
#include "core/formats/source_format.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/make_evaluator.h"
#include "core/python/model_source.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackage = "architectures.";
constexpr std::size_t kLargestConfig = 10'000'000;

// The engine's modules, and the architectures.
class ArchitectureModules final : public ModuleTable {
  public:
    ArchitectureModules() {
        for (ModuleRecord record : architectures_in_python()) {
            record.is_shown = true;
            records_.push_back(record);
        }
    }
    const ModuleRecord* find(std::string_view name) const override {
        const auto found = std::ranges::find(records_, name, &ModuleRecord::name);
        return found != records_.end() ? &*found : all_modules().find(name);
    }
    std::string_view replacement_for(std::string_view root) const override {
        return all_modules().replacement_for(root);
    }
    // Of a model_type; null for one that there is none for. Shared parts are none: they have no build.
    const ModuleRecord* architecture(std::string model_type) const {
        std::ranges::replace(model_type, '-', '_');
        const auto found = std::ranges::find(records_, concat(kPackage, model_type), &ModuleRecord::name);
        if (found == records_.end() || found->source.find("\ndef build(config):") == std::string_view::npos)
            return nullptr;
        return &*found;
    }

  private:
    std::vector<ModuleRecord> records_;
};

const ArchitectureModules& architectures() {
    static const ArchitectureModules modules;
    return modules;
}

using Config = PretrainedConfig;

// Nothing for a file that is missing or no config of a model.
std::optional<Config> find_config(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > kLargestConfig) return std::nullopt;
    std::string text = read_text_file(path.string());
    const OrderedJson json = OrderedJson::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("model_type") || !json["model_type"].is_string()) return std::nullopt;
    std::string type = json["model_type"].get<std::string>();
    std::string what = concat("a Hugging Face folder (", type, ")");
    return Config{std::move(text), std::move(type), std::move(what)};
}

// Why a config.json that is there says of no model; empty where there is none, or it does.
std::string config_problem(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed) || find_config(path)) return {};
    if (fs::file_size(path, failed) > kLargestConfig) return "its config.json is too large for a config";
    if (!OrderedJson::parse(read_text_file(path.string()), nullptr, false).is_object())
        return "its config.json is no JSON object, or cut short";
    return "its config.json names no model_type";
}

bool accepts_folder(const fs::path& folder) {
    const fs::path config = folder / "config.json";
    return (find_config(config) || !config_problem(config).empty()) && !weights_in_folder(folder).empty();
}

// A config, or one of the files that the folder's model is read from.
bool accepts_file(const Ptr<MappedFile>& file) {
    const fs::path& path = file->path();
    if (path.filename() == "config.json") return find_config(path).has_value();
    if (path.extension() != ".safetensors" && path.extension() != ".bin" && path.extension() != ".json") return false;
    const fs::path folder = path.parent_path();
    if (!find_config(folder / "config.json")) return false;
    try {
        const auto files = files_of_weights(folder.empty() ? fs::path(".") : folder);
        return std::ranges::any_of(files, [&](const fs::path& each) { return each.filename() == path.filename(); });
    } catch (const Error&) {
        return false;  // its own reader says what is wrong
    }
}

IValue dict_of(const NamedTensors& tensors) {
    auto dict = make_ptr<DictObject>(types::string(), types::tensor());
    for (const auto& [name, tensor] : tensors) dict->set(IValue(name), IValue(tensor));
    return IValue(std::move(dict));
}

std::vector<std::string> texts_of(const IValue& list) {
    std::vector<std::string> out;
    for (const IValue& each : list.to_list().elements) out.push_back(each.to_string());
    return out;
}

// Why the weights do not make the model; empty when they do.
std::string misfit(const std::vector<std::string>& missing, const std::vector<std::string>& wrong) {
    std::vector<std::string> parts;
    if (!missing.empty())
        parts.push_back(concat(missing.size(), missing.size() == 1 ? " weight is" : " weights are",
                               " missing: ", names_text(missing)));
    if (!wrong.empty())
        parts.push_back(concat(wrong.front(), wrong.size() > 1 ? concat(" (and ", wrong.size() - 1, " more)") : ""));
    return join(parts, "; ");
}

ModelFile tree_only(CheckpointWeights weights, const Config& config, std::string why) {
    ModelFile file = weights_tree(std::move(weights), config.what);
    file.format += concat("; not run: ", why);
    file.cannot_run = std::move(why);
    return file;
}

ModelFile run_architecture(const ModuleRecord& record, const Config& config, CheckpointWeights weights) {
    NamedTensors tensors;
    try {
        tensors = tensors_of(weights);
    } catch (const Error& error) {
        return tree_only(std::move(weights), config, error.message());
    }
    const Ptr<Evaluator> evaluator = evaluator_of_source({}, architectures());
    const auto source = std::make_shared<const ir::Source>(
        std::string(record.source), concat("architectures/", record.name.substr(kPackage.size()), ".py"));
    const NamespacePtr names = evaluator->run_source(source);
    std::vector<std::string> missing, extra, wrong;
    std::string note;
    evaluator->run([&]() -> IValue {
        const IValue loads = get_attribute(evaluator->import_module("json"), "loads");
        const IValue settings = call(loads, {IValue(config.text)});
        const IValue open = get_attribute(evaluator->import_module("architectures.loading"), "open_model");
        const IValue opened = call(open, {*names->find("build"), settings, dict_of(tensors)});
        const std::vector<IValue>& parts = opened.to_tuple().elements;
        missing = texts_of(parts[1]);
        extra = texts_of(parts[2]);
        wrong = texts_of(parts[3]);
        note = parts[5].to_string();
        if (parts[0].is_none()) return {};
        names->set("model", parts[0]);
        names->set("example_inputs", call(*names->find("example_inputs"), {parts[4]}));
        return {};
    });
    if (!missing.empty() || !wrong.empty()) return tree_only(std::move(weights), config, misfit(missing, wrong));
    ModelFile file = model_of(evaluator, names, {});
    file.files = Ptr<FileSandbox>(&evaluator->state().files());
    file.is_built_in = true;
    file.format = config.what;
    if (!note.empty()) file.format += concat(", ", note);
    if (!extra.empty())
        file.format += concat(", ", extra.size(), extra.size() == 1 ? " weight" : " weights", " of the ", config.holder,
                              " not used: ", names_text(extra));
    return file;
}

ModelFile open_pretrained(const fs::path& folder) {
    const auto config = find_config(folder / "config.json");
    const std::string problem = config_problem(folder / "config.json");
    if (!config && problem.empty()) throw_file_error("its config.json is missing");
    if (weights_in_folder(folder).empty())
        throw Error(ErrorKind::File, "no weights beside config.json",
                    {.hint = "they are model.safetensors, its shards with their index, or pytorch_model.bin"});
    CheckpointWeights weights = read_weights_file(folder);
    if (!config) return tree_only(std::move(weights), {{}, {}, "a folder of weights"}, problem);
    return open_architecture(*config, std::move(weights));
}

}  // namespace

Ptr<Evaluator> evaluator_of_architectures() { return evaluator_of_source({}, architectures()); }

ModelFile open_architecture(const PretrainedConfig& config, CheckpointWeights weights) {
    const ModuleRecord* record = architectures().architecture(config.model_type);
    if (record == nullptr)
        return tree_only(std::move(weights), config,
                         concat("the model_type ", quote_name(config.model_type), " is not known"));
    try {
        return run_architecture(*record, config, std::move(weights));
    } catch (const PythonError& error) {
        throw Error(ErrorKind::File,
                    concat("its ", config.source, " does not make a ", config.model_type, " model: ", error.message()));
    }
}

FormatReader pretrained_format() {
    return {"Hugging Face folder",
            {".json", ".safetensors", ".bin"},
            accepts_file,
            [](const Ptr<MappedFile>& file) {
                const fs::path folder = file->path().parent_path();
                return open_pretrained(folder.empty() ? fs::path(".") : folder);
            },
            accepts_folder,
            open_pretrained};
}

}  // namespace loupe::python
