// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/checkpoint_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/distributed_checkpoint.h"
#include "core/formats/checkpoint/module_guess.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostNotes = 30;
constexpr std::size_t kMostNames = 1'000'000;

// Tolerates a file's classes, and collects the paths of a state_dict's metadata.
class TreeClasses final : public NoClasses {
  public:
    using Classes = std::vector<std::pair<std::string, std::string>>;

    IValue make(const PickleNode& node, ValueBuilder& builder) override {
        const PickleRef callable = node.call().callable;
        const std::string name =
            callable->is(PickleKind::Global) ? callable->global_name() : std::string("something without a name");
        if (auto module = make_module(node, name, builder)) return std::move(*module);
        return make_global(name);
    }
    IValue make_global(const std::string& name) override {
        if (classes_.size() < kMostNotes) classes_.insert(name.substr(0, 200));
        return concat("<", name.substr(0, 200), ">");
    }
    IValue make_stand_in(const RebuiltTensor& rebuilt, const std::string& path) override {
        if (stand_ins_.size() < kMostNotes) {
            stand_ins_.push_back(concat(path.empty() ? "the value" : quote_name(path), " is a ", rebuilt.kind,
                                        ", shown by the numbers it stands for"));
        }
        return rebuilt.tensor;
    }
    IValue make_subclass(const std::string& name, const Tensor& tensor) override {
        make_global(name);
        return tensor;
    }
    IValue make_layout(const std::string& name) override { return name; }
    IValue make_bytes(std::string bytes) override { return concat("<", bytes.size(), " bytes>"); }
    IValue make_set(std::vector<IValue> values) override {
        return make_ptr<ListObject>(types::any(), std::move(values));
    }
    IValue make_ordered_dict(Ptr<DictObject> dict, const PickleNode* state, ValueBuilder&) override {
        if (state != nullptr && state->is(PickleKind::Dict)) collect_paths(*dict, *state);
        return dict;
    }

    const std::set<std::string>& classes() const { return classes_; }
    const std::vector<std::string>& stand_ins() const { return stand_ins_; }
    // Of a dict that was a module: the class names in it by path.
    Classes modules_of(const IValue& dict) const {
        const auto found = modules_.find(dict.object_pointer());
        return found == modules_.end() ? Classes() : found->second;
    }
    std::vector<std::string> paths_of(const IValue& dict) const {
        const auto found = paths_.find(dict.object_pointer());
        return found == paths_.end() ? std::vector<std::string>() : found->second;
    }

  private:
    static PickleRef entry(const PickleNode& dict, std::string_view name) {
        const auto& items = dict.items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (items[i]->is(PickleKind::String) && items[i]->to_string() == name) return items[i + 1];
        }
        return nullptr;
    }

    // An object with the dicts of an nn.Module: its tensors and those of the modules in it, by name. Its code is not
    // needed.
    std::optional<IValue> make_module(const PickleNode& node, const std::string& name, ValueBuilder& builder) {
        const PickleRef state = node.call().state;
        if (state == nullptr || !state->is(PickleKind::Dict)) return std::nullopt;
        const auto out = make_ptr<DictObject>(types::string(), types::any());
        Classes classes{{"", name}};
        for (const std::string_view kind : {"_parameters", "_buffers", "_modules"}) {
            const PickleRef part = entry(*state, kind);
            if (part == nullptr) return std::nullopt;
            const IValue values = builder.build(*part);
            if (!values.is_dict()) return std::nullopt;
            for (const auto& [key, value] : values.to_dict().entries()) {
                if (!key.is_string()) continue;
                if (value.is_tensor() && kind != "_modules") out->set(key, value);
                if (value.is_dict() && kind == "_modules") add_child(key.to_string(), value, *out, classes);
            }
        }
        modules_[out.get()] = std::move(classes);
        kept_.emplace_back(out);
        return IValue(out);
    }
    void add_child(const std::string& name, const IValue& child, DictObject& out, Classes& classes) {
        for (const auto& [key, value] : child.to_dict().entries()) {
            if (key.is_string() && value.is_tensor()) out.set(concat(name, ".", key.to_string()), value);
        }
        for (const auto& [path, cls] : modules_of(child))
            classes.emplace_back(path.empty() ? name : concat(name, ".", path), cls);
        if (out.size() + classes.size() > kMostNames)
            throw_file_error(concat("a module of more than ", kMostNames, " names"));
    }

    // {'_metadata': OrderedDict of path -> {'version': 1}}
    void collect_paths(const DictObject& dict, const PickleNode& state) {
        const auto& items = state.items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (!items[i]->is(PickleKind::String) || items[i]->to_string() != "_metadata") continue;
            if (items[i + 1]->callable_name() != "collections.OrderedDict") continue;
            auto& paths = paths_[&dict];
            const auto& entries = items[i + 1]->call().items;
            for (std::size_t e = 0; e + 1 < entries.size(); e += 2) {
                if (entries[e]->is(PickleKind::String)) paths.push_back(entries[e]->to_string());
            }
        }
    }

    std::set<std::string> classes_;
    std::vector<std::string> stand_ins_;
    std::map<const void*, std::vector<std::string>> paths_;
    std::map<const void*, Classes> modules_;
    std::vector<Ptr<DictObject>> kept_;  // an address must not be used again
};

std::size_t count_tensors(const IValue& value) {
    if (!value.is_dict()) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(value.to_dict().entries(), [](const auto& entry) {
        return entry.first.is_string() && entry.second.is_tensor();
    }));
}

// A dict of tensors in the value, and the names that lead there. Names that programs use come first.
struct Part {
    IValue value;
    std::string name;
    std::size_t rank = 0;
};
void find_parts(const IValue& value, const std::string& name, std::size_t depth, std::vector<Part>& parts) {
    static constexpr std::array<std::string_view, 12> kUsual{"state_dict", "model_state_dict", "model",  "model_state",
                                                             "net",        "network",          "params", "weights",
                                                             "module",     "generator",        "ema",    "encoder"};
    if (count_tensors(value) > 0) {
        const auto* usual = std::ranges::find(kUsual, std::string_view(name).substr(name.rfind('.') + 1));
        // Loose tensors beside them (a state of random numbers) are not the weights of a training's checkpoint.
        const std::size_t place = name.empty()            ? 400
                                  : usual != kUsual.end() ? static_cast<std::size_t>(usual - kUsual.begin())
                                                          : 500;
        parts.push_back({value, name, place + 100 * depth});
    }
    if (!value.is_dict() || depth == 3) return;
    for (const auto& [key, element] : value.to_dict().entries()) {
        if (!key.is_string() || !element.is_dict() || parts.size() > kMostNotes) continue;
        if (key.to_string().find("optim") != std::string::npos) continue;
        find_parts(element, name.empty() ? key.to_string() : concat(name, ".", key.to_string()), depth + 1, parts);
    }
}

std::string short_text(const IValue& value) {
    if (value.is_dict()) return concat("a dict of ", value.to_dict().size());
    if (value.is_list()) return concat("a list of ", value.to_list().elements.size());
    if (value.is_tensor()) return describe(value.to_tensor());
    std::string text = python_repr(value);
    return text.size() > 100 ? text.substr(0, 100) + "..." : text;
}

// Weights of a tree are dense: the views show their zeros too.
void add_weight(const std::string& name, const Tensor& tensor, CheckpointWeights& weights) {
    if (!is_coordinate(tensor)) return weights.tensors.emplace_back(name, tensor), void();
    constexpr std::int64_t kMostElements = std::int64_t{1} << 26;
    const bool fits = tensor.numel() <= kMostElements;
    weights.notes.push_back(concat(quote_name(name), " is sparse, ", coordinate_parts(tensor).entries(), " entries in ",
                                   shape_list_text(tensor.sizes()),
                                   fits ? ", shown dense" : ", and too large to be shown dense"));
    if (fits) weights.tensors.emplace_back(name, to_dense(tensor));
}

// Other entries beside the weights: epoch, optimizer, ...
void note_others(const IValue& value, CheckpointWeights& weights) {
    if (!value.is_dict() || weights.part.empty()) return;
    const std::string first = weights.part.substr(0, weights.part.find('.'));
    for (const auto& [key, element] : value.to_dict().entries()) {
        if (weights.notes.size() >= kMostNotes) return;
        if (key.is_string() && key.to_string() != first)
            weights.notes.push_back(concat(key.to_string(), ": ", short_text(element)));
    }
}

CheckpointWeights weights_in(const IValue& value, const TreeClasses& classes, const std::filesystem::path& path) {
    std::vector<Part> parts;
    find_parts(value, {}, 0, parts);
    CheckpointWeights weights;
    if (parts.empty()) {
        if (!value.is_tensor())
            throw_file_error("no weights: a checkpoint is a dict of tensors by name, or has one in it", path.string());
        weights.tensors.emplace_back("tensor", value.to_tensor());
        return weights;
    }
    const auto best = std::ranges::min_element(parts, {}, &Part::rank);
    weights.part = best->name;
    weights.notes = classes.stand_ins();
    for (const auto& [name, tensor] : best->value.to_dict().entries()) {
        if (name.is_string() && tensor.is_tensor()) add_weight(name.to_string(), tensor.to_tensor(), weights);
    }
    weights.module_paths = classes.paths_of(best->value);
    weights.classes = classes.modules_of(best->value);
    if (!weights.part.empty()) weights.notes.push_back(concat("the weights are those under '", weights.part, "'"));
    note_others(value, weights);
    if (!classes.classes().empty())
        weights.notes.push_back(
            concat("not read, because files do not run code here: ", join(classes.classes(), ", ")));
    return weights;
}

// --- the tree ---

struct PathNode {
    NamedTensors tensors;
    std::vector<std::string> order;  // of children
    std::map<std::string, PathNode, std::less<>> children;

    PathNode& child(const std::string& name) {
        const auto [found, is_new] = children.try_emplace(name);
        if (is_new) order.push_back(name);
        return found->second;
    }
};

bool is_path(const std::vector<std::string_view>& parts) {
    return parts.size() <= kDeepest && std::ranges::none_of(parts, &std::string_view::empty);
}

bool is_statistic(const std::string& name) {
    return name == "running_mean" || name == "running_var" || name == "num_batches_tracked" ||
           name.ends_with("position_ids");
}

class TreeMaker {
  public:
    explicit TreeMaker(const CheckpointWeights& weights) : classes_(weights.classes.begin(), weights.classes.end()) {}

    nn::ModulePtr make(const PathNode& node, const std::string& path) {
        ModuleGuess guess = guess_module(path, node.tensors, node.order, dimensions_);
        if (const auto known = classes_.find(path); known != classes_.end()) {
            guess.class_name = known->second.substr(known->second.rfind('.') + 1);
            guess.confidence = 1;
            guess.reason = concat("the file names its class, ", known->second);
        }
        if (guess.class_name.empty()) guess.class_name = "Module";
        if (guess.class_name.starts_with("Conv") && guess.class_name.ends_with("d"))
            dimensions_ = guess.class_name[guess.class_name.size() - 2] - '0';
        if (guess.class_name == "Linear") dimensions_ = 0;
        auto module = make_ptr<nn::Module>(guess.class_name);
        for (const auto& [name, tensor] : node.tensors) {
            if (node.children.contains(name)) continue;
            const bool is_parameter = !is_statistic(name) && is_differentiable(tensor.dtype());
            if (is_parameter)
                module->register_parameter(name, make_parameter(detach(tensor)));
            else
                module->register_buffer(name, detach(tensor));
        }
        for (const std::string& name : node.order) {
            module->register_module(
                name, make(node.children.find(name)->second, path.empty() ? name : concat(path, ".", name)));
        }
        describe(*module, guess);
        return module;
    }

  private:
    static void describe(nn::Module& module, const ModuleGuess& guess) {
        if (!guess.reason.empty()) {
            set(module, "guessed", concat(std::lround(guess.confidence * 100), " %: ", guess.reason));
        }
        for (const auto& [name, value] : guess.arguments) set(module, name, value);
    }
    // Names of the file win.
    static void set(nn::Module& module, const std::string& name, IValue value) {
        if (module.find_attribute(name) == nullptr) module.set_attribute(name, std::move(value));
    }

    std::map<std::string, std::string> classes_;
    int dimensions_ = 0;  // of the last convolution
};

}  // namespace

CheckpointWeights read_checkpoint_weights(const std::filesystem::path& path) {
    TreeClasses classes;
    const IValue value = read_checkpoint(path, classes);
    return weights_in(value, classes, path);
}

CheckpointWeights read_distributed_weights(const std::filesystem::path& folder) {
    TreeClasses classes;
    DistributedCheckpoint read = read_distributed_checkpoint(folder, classes);
    CheckpointWeights weights = weights_in(read.value, classes, folder);
    weights.notes.insert(weights.notes.end(), read.notes.begin(), read.notes.end());
    return weights;
}

bool strip_wrapper_prefix(CheckpointWeights& weights) {
    for (const std::string_view prefix : {"module.", "_orig_mod."}) {
        const bool have_all = !weights.tensors.empty() && std::ranges::all_of(weights.tensors, [&](const auto& each) {
            return each.first.starts_with(prefix) && each.first.size() > prefix.size();
        });
        if (!have_all) continue;
        for (auto& [name, tensor] : weights.tensors) name.erase(0, prefix.size());
        for (ForeignWeight& each : weights.foreign) each.name.erase(0, prefix.size());
        for (std::string& path : weights.module_paths) {
            if (path.starts_with(prefix))
                path.erase(0, prefix.size());
            else
                path.clear();
        }
        std::vector<std::pair<std::string, std::string>> inner;
        for (const auto& [path, cls] : weights.classes) {
            if (concat(path, ".") == prefix) inner.emplace_back("", cls);
            if (path.starts_with(prefix)) inner.emplace_back(path.substr(prefix.size()), cls);
        }
        weights.classes = std::move(inner);
        weights.notes.push_back(concat("all names began with '", prefix, "', which ",
                                       prefix == "module." ? "torch.nn.DataParallel" : "torch.compile",
                                       " puts there: it was dropped"));
        return true;
    }
    return false;
}

nn::ModulePtr guess_module_tree(const CheckpointWeights& weights) {
    PathNode root;
    std::size_t strange = 0;
    std::vector<std::string> paths = weights.module_paths;
    for (const auto& [path, cls] : weights.classes) paths.push_back(path);
    for (const std::string& path : paths) {
        const auto parts = split(path, '.');
        if (!is_path(parts)) continue;
        PathNode* node = &root;
        for (const std::string_view part : parts) node = &node->child(std::string(part));
    }
    for (const auto& [name, tensor] : weights.tensors) {
        const auto parts = split(name, '.');
        if (!is_path(parts)) {
            ++strange;
            continue;
        }
        PathNode* node = &root;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) node = &node->child(std::string(parts[i]));
        node->tensors.emplace_back(std::string(parts.back()), tensor);
    }
    nn::ModulePtr module = TreeMaker(weights).make(root, {});
    std::vector<std::string> notes = weights.notes;
    if (strange > 0) notes.push_back(concat(strange, " names lead to no module and were left out"));
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const std::string name = concat("note", i + 1);
        if (module->find_attribute(name) == nullptr) module->set_attribute(name, IValue(notes[i]));
    }
    return module;
}

}  // namespace loupe
