// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/weights.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "plugins/onnx/read/attributes.h"

namespace loupe::onnx {
namespace {

// The initializers that operators read as numbers of their own (running statistics, scales, bounds), and those that
// they read as weights.
struct Uses {
    std::set<std::string> statistics, weights;
};
Uses uses_of(const proto::GraphProto& graph) {
    struct Place {
        std::string_view op;
        int first, last;
    };
    static constexpr Place kStatistics[] = {{"BatchNormalization", 3, 4},
                                            {"QuantizeLinear", 1, 2},
                                            {"DequantizeLinear", 1, 2},
                                            {"Resize", 1, 3},
                                            {"Upsample", 1, 1},
                                            {"Clip", 1, 2},
                                            {"Pow", 1, 1},
                                            {"Dropout", 1, 2},
                                            {"Pad", 1, 3},
                                            {"Range", 0, 2}};
    static constexpr Place kWeights[] = {{"MatMul", 0, 1},
                                         {"Gemm", 0, 2},
                                         {"Conv", 1, 2},
                                         {"ConvTranspose", 1, 2},
                                         {"Gather", 0, 0},
                                         {"BatchNormalization", 1, 2},
                                         {"LayerNormalization", 1, 2},
                                         {"InstanceNormalization", 1, 2},
                                         {"GroupNormalization", 1, 2},
                                         {"RMSNormalization", 1, 1},
                                         {"LSTM", 1, 3},
                                         {"GRU", 1, 3},
                                         {"RNN", 1, 3},
                                         {"PRelu", 1, 1},
                                         {"Einsum", 0, 7}};
    Uses uses;
    for (const proto::NodeProto& node : graph.node()) {
        const auto add = [&](const Place& place, std::set<std::string>& names) {
            for (int i = place.first; place.op == node.op_type() && i <= place.last && i < node.input_size(); ++i)
                names.insert(node.input(i));
        };
        for (const Place& place : kStatistics) add(place, uses.statistics);
        for (const Place& place : kWeights) add(place, uses.weights);
    }
    return uses;
}

// "val_12", "_val_3": constants that PyTorch's exporter made.
bool is_made_name(std::string_view name) {
    while (name.starts_with('_')) name.remove_prefix(1);
    if (!name.starts_with("val_")) return false;
    name.remove_prefix(4);
    return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A shape, axes, a number: what a module would have stands under a path.
bool is_plain_constant(const std::string& name, const Tensor& tensor) {
    if (name.find('.') != std::string::npos) return false;
    return tensor.dim() == 0 || (tensor.dim() == 1 && tensor.numel() <= 64 && !is_differentiable(tensor.dtype()));
}

// What is added where attention must not look, folded by an exporter: no training leaves such numbers.
bool is_mask(const Tensor& tensor) {
    constexpr double kShut = -9999;
    constexpr std::int64_t kMostElements = std::int64_t{1} << 24;
    if (!is_floating(tensor.dtype()) || tensor.numel() == 0 || tensor.numel() > kMostElements) return false;
    const Tensor wide = fn::to_dtype(fn::detach(tensor), static_cast<std::int64_t>(ScalarType::Float64));
    return item(fn::amin(wide, Dims(), false)).to_double() <= kShut;
}

// A path that modules can have: without empty parts, and no other tensor's module.
std::string path_of(const std::string& name, const std::set<std::string>& names) {
    const std::vector<std::string_view> parts = split(name, '.');
    const bool has_empty = std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); });
    bool is_taken = has_empty || parts.size() > 100;
    std::string prefix;
    for (std::size_t i = 0; i + 1 < parts.size() && !is_taken; ++i) {
        prefix += prefix.empty() ? std::string(parts[i]) : concat(".", parts[i]);
        is_taken = names.contains(prefix);
    }
    if (!is_taken) return name;
    std::string flat = name;
    std::ranges::replace(flat, '.', '_');
    return flat.empty() ? "_" : flat;
}

}  // namespace

Weights::Weights(proto::GraphProto& graph, ExternalFiles& files, exported::ModuleTree& modules) {
    const Uses uses = uses_of(graph);
    std::set<std::string> names;
    for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) names.insert(tensor.values().name());
    const auto add = [&](const std::string& name, const Tensor& tensor) {
        if (is_plain_constant(name, tensor)) {
            if (!constants_.emplace(name, tensor).second)
                throw_file_error(concat("two tensors are named ", quote_name(name)));
            return;
        }
        std::string path = path_of(name, names);
        while (modules.has_tensor(path)) path += "_";
        const bool is_weight = uses.weights.contains(name);
        const bool may_be_mask = !is_weight && name.find('.') == std::string::npos;  // not under a module's path
        const bool learns = is_floating(tensor.dtype()) && tensor.dim() > 0 && tensor.numel() > 0 &&
                            !uses.statistics.contains(name) && (!is_made_name(name) || is_weight) &&
                            !(may_be_mask && is_mask(tensor));
        if (learns) set_requires_grad(tensor, true);
        modules.add_tensor(
            path, tensor,
            learns ? exported::ModuleTree::TensorKind::Parameter : exported::ModuleTree::TensorKind::Buffer);
        if (!paths_.emplace(name, path).second) throw_file_error(concat("two tensors are named ", quote_name(name)));
    };
    const MemoryCategoryScope category(MemoryCategory::Parameter);
    for (proto::TensorProto& tensor : *graph.mutable_initializer()) {
        if (tensor.name().empty()) throw_file_error("an initializer without a name");
        if (is_string_tensor(tensor))
            constants_[tensor.name()] = string_list(tensor);
        else
            add(tensor.name(), take_tensor(tensor, files));
    }
    for (proto::SparseTensorProto& sparse : *graph.mutable_sparse_initializer()) {
        const std::string name = sparse.values().name();
        if (name.empty()) throw_file_error("an initializer without a name");
        add(name, take_sparse_tensor(sparse, files));
    }
}

void Weights::read_all(ir::Graph& graph, std::map<std::string, ir::Value*>& values) const {
    std::map<std::string, ir::Value*> owners{{std::string(), graph.inputs()[0]}};
    const auto read = [&](ir::Value* owner, const std::string& name) {
        const auto* type = owner->type()->as<ClassType>();
        const auto slot = type != nullptr ? type->find_attribute(name) : std::nullopt;
        if (!slot) throw_file_error(concat("the model has no ", quote_name(name)));
        ir::Node* node = graph.insert(graph.create(ir::prim::GetAttr, {owner}));
        node->set_s(ir::attr::name, name);
        return node->output()->set_type(type->attributes()[*slot].type);
    };
    for (const auto& [name, path] : paths_) {
        std::string at;
        ir::Value* owner = graph.inputs()[0];
        const std::vector<std::string_view> parts = split(path, '.');
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            at += at.empty() ? std::string(parts[i]) : concat(".", parts[i]);
            ir::Value*& known = owners[at];
            graph.set_current_scope(at.substr(0, at.size() - parts[i].size() - (at.size() > parts[i].size() ? 1 : 0)));
            if (known == nullptr) known = read(owner, std::string(parts[i]));
            owner = known;
        }
        graph.set_current_scope(at);
        values[name] = read(owner, std::string(parts.back()));
    }
    graph.set_current_scope({});
    for (const auto& [name, list] : constants_) values[name] = graph.insert_constant(list);
}

}  // namespace loupe::onnx
