// SPDX-License-Identifier: Apache-2.0
#include "core/model/graph_builder.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <map>
#include <set>

#include "core/base/deep_thread.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/function.h"
#include "core/ir/missing_operator.h"
#include "core/model/shown_source.h"

namespace loupe::session {
namespace {

constexpr std::size_t kMaxNodes = 1'000'000;
constexpr int kMaxDepth = 64;

// An output of a node of the model.
struct Port {
    int node = -1;  // -1: an input of the method
    int port = 0;
    friend bool operator==(const Port&, const Port&) = default;
};
// Behind control flow a value can come from several places, each named once.
using Producers = boost::container::small_vector<Port, 1>;

bool holds_tensor(const Type& type) {
    if (type.kind() == TypeKind::Tensor) return true;
    return std::any_of(type.contained().begin(), type.contained().end(),
                       [](const TypePtr& t) { return t && holds_tensor(*t); });
}

std::string_view after(std::string_view text, std::string_view separator) {
    const auto at = text.rfind(separator);
    return at == std::string_view::npos ? text : text.substr(at + separator.size());
}

class Builder {
  public:
    BuiltGraph build(const ir::Graph& graph, const nn::ModulePtr& root, const std::string& method) {
        model_ = std::make_shared<GraphModel>();
        model_->method = method;
        constexpr std::uint32_t kMany = 20'000;  // nodes: a thread is started for less than their time
        std::string text;
        run_both(
            graph.next_node_id() > kMany, [&] { add_graph(graph, root); }, [&] { text = graph.str(); });
        model_->text = std::move(text);
        return {model_, std::move(sites_), std::move(missing_)};
    }

  private:
    void add_graph(const ir::Graph& graph, const nn::ModulePtr& root) {
        Level level{SiteMap::kTop, SiteMap::kTop, "", 0};
        // Most nodes have one output and are unfolded once.
        const std::size_t expected = std::min<std::size_t>(graph.next_node_id(), kMaxNodes);
        model_->nodes.reserve(expected);
        model_->edges.reserve(expected);
        for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
            const ir::Value* input = graph.inputs()[i];
            if (i == 0 && root) {
                level.modules[input] = root;
                level.paths[input] = "";
            } else {
                level.values[input] = {{-1, static_cast<int>(model_->inputs.size())}};
                model_->inputs.push_back(input->debug_name());
            }
        }
        add_block(*graph.block(), level);
        for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
            connect(producers(graph.outputs()[i], level), -1, static_cast<int>(i), *graph.outputs()[i]);
            model_->outputs.push_back(graph.outputs()[i]->debug_name());
        }
        mark_plumbing();
    }

    // One call being unfolded.
    struct Level {
        int call;    // the group of the call: what the interpreter's frame stands for
        int parent;  // where new nodes go: the call, or a group inside it
        std::string scope;
        int depth;
        std::vector<int> leaves =
            {};  // what stands for a node and makes its outputs, by the node's number; -1: nothing
        std::unordered_map<const ir::Value*, Producers> values = {};  // the others
        std::unordered_map<const ir::Value*, nn::ModulePtr> modules = {};
        std::unordered_map<const ir::Value*, std::string> paths = {};
        std::unordered_map<std::string, int> scope_groups = {};
    };

    int add_node(int parent, GraphNode node) {
        node.id = static_cast<int>(model_->nodes.size());
        node.parent = parent;
        if (parent >= 0) model_->nodes[static_cast<std::size_t>(parent)].children.push_back(node.id);
        model_->nodes.push_back(std::move(node));
        return model_->nodes.back().id;
    }

    static Producers producers(const ir::Value* value, const Level& level) {
        const std::size_t node = value->node()->id();
        if (node < level.leaves.size() && level.leaves[node] >= 0)
            return {{level.leaves[node], static_cast<int>(value->offset())}};
        const auto found = level.values.find(value);
        return found == level.values.end() ? Producers{} : found->second;
    }

    void connect(const Producers& from, int to, int to_port, const ir::Value& value) {
        if (value.type() && value.type()->kind() == TypeKind::Class) return;
        for (const Port& port : from) {
            model_->edges.push_back({port.node, to, port.port, to_port, "%" + value.debug_name(),
                                     value.type() ? value.type()->str() : "Tensor"});
        }
    }

    void add_block(const ir::Block& block, Level& level) {
        for (const ir::Node* node : block.nodes()) {
            if (model_->nodes.size() >= kMaxNodes) return;
            add(*node, level);
        }
    }

    void add(const ir::Node& node, Level& level) {
        const std::string_view kind = node.kind().str();
        if (kind == "prim::GetAttr" && follow_attribute(node, level)) return;
        if (kind == "prim::CallMethod" || kind == "prim::CallFunction") {
            if (add_call(node, level, kind == "prim::CallMethod")) return;
        }
        if (kind == "prim::If") return add_if(node, level);
        if (kind == "prim::Loop") return add_loop(node, level);
        if (node.has_attribute(ir::attr::Subgraph) && level.depth < kMaxDepth) return add_group(node, level);
        add_leaf(node, level);
    }

    // Reads of submodules are no nodes: they only say which module a value is.
    bool follow_attribute(const ir::Node& node, Level& level) {
        const auto owner = level.modules.find(node.input(0));
        if (owner == level.modules.end()) return false;
        const std::string& name = node.s(ir::attr::name);
        const auto slot = owner->second->type()->find_attribute(name);
        if (!slot || *slot >= owner->second->slot_count()) return false;
        const nn::ModulePtr child = nn::as_module(owner->second->slot(*slot));
        if (!child) return false;
        const std::string& path = level.paths[node.input(0)];
        level.modules[node.output()] = child;
        level.paths[node.output()] = path.empty() ? name : concat(path, ".", name);
        return true;
    }

    // The group that stands for a scope inside an inlined graph: "layer1.0" inside "layer1".
    int scope_group(const std::string& scope, Level& level) {
        if (scope.empty() || scope == level.scope) return level.parent;
        if (const auto found = level.scope_groups.find(scope); found != level.scope_groups.end()) return found->second;
        const auto dot = scope.rfind('.');
        const int parent = scope_group(dot == std::string::npos ? "" : scope.substr(0, dot), level);
        GraphNode group;
        group.is_group = true;
        group.label = dot == std::string::npos ? scope : scope.substr(dot + 1);
        group.kind = group.label;
        group.scope = scope;
        return level.scope_groups[scope] = add_node(parent, std::move(group));
    }

    bool add_call(const ir::Node& node, Level& level, bool is_method) {
        if (level.depth >= kMaxDepth) return false;
        ir::ScriptFunction* callee = nullptr;
        GraphNode group;
        group.is_group = true;
        group.source = place_of(node.range());
        Level inner{0, 0, level.scope, level.depth + 1};
        nn::ModulePtr module;
        if (is_method) {
            const std::string& name = node.s(ir::attr::name);
            const auto found = level.modules.find(node.input(0));
            if (found != level.modules.end()) {
                module = found->second;
                callee = dynamic_cast<ir::ScriptFunction*>(module->type()->find_method(name));
                inner.scope = level.paths[node.input(0)];
                group.kind = module->class_name();
                group.label = name == "forward" ? std::string(after(inner.scope, "."))
                                                : concat(after(inner.scope, "."), ".", name);
                if (inner.scope.empty()) group.label = name;
            } else if (const auto* type = node.input(0)->type()->as<ClassType>()) {
                callee = dynamic_cast<ir::ScriptFunction*>(type->find_method(name));
                group.kind = std::string(after(type->name(), "."));
                group.label = name;
            }
        } else {
            callee = dynamic_cast<ir::ScriptFunction*>(ir::function_of(node.input(0)));
            if (callee != nullptr) group.label = group.kind = callee->name();
        }
        if (callee == nullptr || is_open(callee) || !is_compiled(*callee)) return false;
        group.scope = inner.scope;
        const int id = add_node(level.parent, std::move(group));
        sites_.add(level.call, &node, id);
        inner.call = inner.parent = id;
        const ir::Graph& graph = *callee->graph();
        for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
            const std::size_t argument = is_method ? i : i + 1;
            if (argument >= node.inputs().size()) break;
            const ir::Value* given = node.input(argument);
            const ir::Value* parameter = graph.inputs()[i];
            if (const auto found = level.modules.find(given); found != level.modules.end()) {
                inner.modules[parameter] = found->second;
                inner.paths[parameter] = level.paths[given];
            } else {
                inner.values[parameter] = producers(given, level);
            }
        }
        open_.push_back(callee);
        add_block(*graph.block(), inner);
        open_.pop_back();
        for (std::size_t i = 0; i < node.outputs().size() && i < graph.outputs().size(); ++i) {
            level.values[node.output(i)] = producers(graph.outputs()[i], inner);
        }
        return true;
    }

    // What a pass put together: the operators inside it. The observer is notified of each of them, in a frame that no
    // call stands for.
    void add_group(const ir::Node& node, Level& level) {
        GraphNode group;
        group.is_group = true;
        group.kind = std::string(node.kind().str());
        group.label = concat(group_label(group.kind), " ", ++groups_[group.kind]);
        const ir::Graph& graph = *node.g(ir::attr::Subgraph);
        const std::string scope = common_scope(graph);
        group.scope = scope.empty() ? level.scope : scope;
        group.source = place_of(node.range());
        const int id = add_node(scope_group(scope, level), std::move(group));
        sites_.add(level.call, &node, id);
        Level inner{SiteMap::kTop, id, level.scope, level.depth + 1};
        if (!scope.empty()) inner.scope_groups[scope] = id;
        for (std::size_t i = 0; i < graph.inputs().size() && i < node.inputs().size(); ++i) {
            inner.values[graph.inputs()[i]] = producers(node.input(i), level);
        }
        add_block(*graph.block(), inner);
        for (std::size_t i = 0; i < node.outputs().size() && i < graph.outputs().size(); ++i) {
            level.values[node.output(i)] = producers(graph.outputs()[i], inner);
        }
    }

    // The innermost module that all of its operators stand in.
    static std::string common_scope(const ir::Graph& graph) {
        std::optional<std::string> common;
        for (const ir::Node* node : graph.nodes()) {
            if (node->kind() == ir::prim::Constant) continue;
            const std::string& scope = node->scope();
            if (!common) common = scope;
            while (!common->empty() && scope != *common && !scope.starts_with(*common + ".")) {
                const auto dot = common->rfind('.');
                common->resize(dot == std::string::npos ? 0 : dot);
            }
        }
        return common.value_or(std::string());
    }

    static std::string group_label(std::string_view kind) {
        if (kind == "prim::StaticSubgraph") return "planned part";
        if (kind == "prim::TensorExprGroup" || kind == "prim::FusionGroup") return "fused";
        if (kind == "prim::DifferentiableGraph") return "differentiable";
        return std::string(after(kind, "::"));
    }

    // A function that cannot be compiled stays a node: a run may never come to it.
    bool is_compiled(const ir::ScriptFunction& callee) {
        try {
            callee.graph();
            return true;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            add_missing({}, error.what());
            return false;
        }
    }

    void add_missing(std::string schema, std::string line) {
        const bool is_new = seen_missing_.insert(schema.empty() ? line : schema).second;
        if (is_new) missing_.push_back({std::move(schema), std::move(line)});
    }

    bool is_open(const ir::ScriptFunction* callee) const {
        return std::find(open_.begin(), open_.end(), callee) != open_.end();
    }

    int add_control_group(const ir::Node& node, Level& level, std::string label) {
        GraphNode group;
        group.kind = std::string(node.kind().str());
        group.label = std::move(label);
        group.scope = level.scope;
        group.source = place_of(node.range());
        const int id = add_node(scope_group(node.scope(), level), std::move(group));
        sites_.add(level.call, &node, id);
        return id;
    }

    void add_branch(const ir::Block& block, Level& level, int owner, const char* label) {
        GraphNode group;
        group.is_group = true;
        group.kind = group.label = label;
        group.scope = level.scope;
        const int id = add_node(owner, std::move(group));
        model_->nodes[static_cast<std::size_t>(owner)].blocks.push_back(id);
        const int before = std::exchange(level.parent, id);
        auto groups = std::exchange(level.scope_groups, {});
        add_block(block, level);
        level.parent = before;
        level.scope_groups = std::move(groups);
    }

    static void merge(Producers& into, const Producers& more) {
        for (const Port& port : more) {
            if (std::find(into.begin(), into.end(), port) == into.end()) into.push_back(port);
        }
    }

    void add_if(const ir::Node& node, Level& level) {
        const int id = add_control_group(node, level, "if");
        connect(producers(node.input(0), level), id, 0, *node.input(0));
        for (std::size_t b = 0; b < node.block_count(); ++b)
            add_branch(*node.block_at(b), level, id, b == 0 ? "then" : "else");
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            Producers all;
            for (std::size_t b = 0; b < node.block_count(); ++b) {
                const ir::Value* result = node.block_at(b)->outputs()[i];
                merge(all, producers(result, level));
                if (const auto module = level.modules.find(result); module != level.modules.end()) {
                    level.modules[node.output(i)] = module->second;
                    level.paths[node.output(i)] = level.paths[result];
                }
            }
            level.values[node.output(i)] = std::move(all);
        }
    }

    void add_loop(const ir::Node& node, Level& level) {
        const int id = add_control_group(node, level, "loop");
        for (std::size_t i = 0; i < 2; ++i)
            connect(producers(node.input(i), level), id, static_cast<int>(i), *node.input(i));
        const ir::Block& body = *node.block_at(0);
        for (std::size_t i = 0; i + 2 < node.inputs().size(); ++i) {
            level.values[body.inputs()[i + 1]] = producers(node.input(i + 2), level);
        }
        add_branch(body, level, id, "body");
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            Producers all = producers(node.input(i + 2), level);
            merge(all, producers(body.outputs()[i + 1], level));
            level.values[node.output(i)] = std::move(all);
        }
    }

    void add_leaf(const ir::Node& node, Level& level) {
        GraphNode leaf;
        leaf.kind = std::string(node.kind().str());
        leaf.label = std::string(after(leaf.kind, "::"));
        leaf.scope = node.scope().empty() ? level.scope : node.scope();
        leaf.source = place_of(node.range());
        const bool makes_tensor = std::any_of(node.outputs().begin(), node.outputs().end(),
                                              [](const ir::Value* v) { return v->type() && holds_tensor(*v->type()); });
        const bool is_structure =
            leaf.kind.starts_with("prim::") && node.op() == nullptr && leaf.kind != "prim::RaiseException";
        leaf.is_plumbing = !makes_tensor || is_structure;
        const auto constant = ir::constant_of(&node);
        if (constant && !constant->is_tensor()) leaf.attributes.push_back(concat("value=", python_repr(*constant)));
        const bool is_transparent = is_structure && !node.outputs().empty() && !node.inputs().empty();
        if (ir::is_missing_operator(node)) {
            const std::string schema = ir::missing_schema(node);
            add_missing(schema, Error(ErrorKind::Unsupported, concat("unsupported operator ", schema),
                                      {.scope = leaf.scope, .source = node.range().short_text()})
                                    .what());
        }
        const int id = add_node(scope_group(node.scope(), level), std::move(leaf));
        sites_.add(level.call, &node, id);
        if (!is_transparent) {
            if (node.id() >= level.leaves.size()) level.leaves.resize(node.graph()->next_node_id(), -1);
            level.leaves[node.id()] = id;
        }
        Producers passed;
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const Producers from = producers(node.input(i), level);
            connect(from, id, static_cast<int>(i), *node.input(i));
            if (is_transparent) merge(passed, from);
        }
        // What a list or tuple holds comes from the makers of its elements: edges show data, not containers.
        if (!is_transparent) return;
        for (const ir::Value* output : node.outputs()) level.values[output] = passed;
    }

    // Branches that hold nothing but plumbing (shape checks) are plumbing.
    void mark_plumbing() {
        for (std::size_t i = model_->nodes.size(); i-- > 0;) {
            GraphNode& node = model_->nodes[i];
            const bool is_control = node.kind == "prim::If" || node.kind == "prim::Loop";
            const bool is_branch = node.parent >= 0 && node.is_group &&
                                   (model_->nodes[static_cast<std::size_t>(node.parent)].kind == "prim::If" ||
                                    model_->nodes[static_cast<std::size_t>(node.parent)].kind == "prim::Loop");
            if (!is_control && !is_branch) continue;
            node.is_plumbing = std::all_of(node.children.begin(), node.children.end(), [&](int child) {
                const GraphNode& inner = model_->nodes[static_cast<std::size_t>(child)];
                return inner.is_plumbing || inner.kind == "prim::RaiseException";
            });
        }
    }

    std::shared_ptr<GraphModel> model_;
    SiteMap sites_;
    std::vector<const ir::ScriptFunction*> open_;
    std::map<std::string, int> groups_;  // of each kind, counted
    std::vector<BuiltGraph::Missing> missing_;
    std::set<std::string> seen_missing_;
};

}  // namespace

void SiteMap::add(int group, const ir::Node* site, int node) {
    auto& [by_number, others] = calls_[group];
    if (site->id() >= by_number.size()) by_number.resize(site->graph()->next_node_id());
    auto& place = by_number[site->id()];
    if (place.first == nullptr || place.first == site)
        place = {site, node};
    else
        others[site] = node;
}

BuiltGraph build_graph_model(const ir::Graph& graph, const nn::ModulePtr& root, const std::string& method) {
    return Builder().build(graph, root, method);
}

std::shared_ptr<const GraphModel> build_module_graph(const nn::ModulePtr& root) {
    auto model = std::make_shared<GraphModel>();
    model->method = "forward";
    std::unordered_map<std::string, int> nodes;
    for (const auto& [path, module] : root->named_modules()) {
        if (path.empty()) continue;
        if (model->nodes.size() >= kMaxNodes) break;
        const auto dot = path.rfind('.');
        GraphNode node;
        node.id = static_cast<int>(model->nodes.size());
        node.kind = module->class_name();
        node.label = std::string(after(path, "."));
        node.scope = path;
        node.is_group = !module->children().empty();
        if (dot != std::string::npos) node.parent = nodes.at(path.substr(0, dot));
        if (node.parent >= 0) model->nodes[static_cast<std::size_t>(node.parent)].children.push_back(node.id);
        nodes.emplace(path, node.id);
        model->nodes.push_back(std::move(node));
    }
    return model;
}

}  // namespace loupe::session
