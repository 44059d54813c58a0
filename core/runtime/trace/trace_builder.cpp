// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/trace_builder.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::runtime {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// Without shape facts of tensors.
TypePtr erased(const TypePtr& type) {
    switch (type->kind()) {
        case TypeKind::Tensor:
            return types::tensor();
        case TypeKind::List:
            return types::list(erased(type->element()));
        case TypeKind::Tuple: {
            if (!type->name().empty()) return type;
            std::vector<TypePtr> elements;
            for (const TypePtr& element : type->contained()) elements.push_back(erased(element));
            return types::tuple(std::move(elements));
        }
        default:
            return type;
    }
}

bool is_inside(std::string_view path, std::string_view outer) {
    return outer.empty() || (path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '.'));
}

// Values that cross the boundary of a call.
struct Boundary {
    std::vector<ValueIndex> inputs;
    std::vector<ValueIndex> outputs;

    static void add(std::vector<ValueIndex>& to, ValueIndex value) {
        if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
    }
};

// Finds the boundaries of all calls.
class Boundaries {
  public:
    explicit Boundaries(const TraceRecorder& recorder) : recorder_(recorder), all_(recorder.calls().size()) {
        visit_call(0);
        visit(recorder.output(), 0);
    }
    const Boundary& of(std::size_t call) const { return all_[call]; }

  private:
    void visit_call(std::size_t call) {
        for (const TracedCall::Item& item : recorder_.calls()[call].items) {
            if (item.is_call) {
                visit_call(item.index);
                continue;
            }
            for (const TracedInput& input : recorder_.nodes()[item.index].inputs) visit(input, call);
        }
    }

    void visit(const TracedInput& input, std::size_t user) {
        if (const auto* list = std::get_if<TracedInput::List>(&input.what)) {
            for (const TracedInput& element : list->elements) visit(element, user);
        } else if (const auto* value = std::get_if<ValueIndex>(&input.what)) {
            use(*value, user);
        }
    }

    void use(ValueIndex index, std::size_t user) {
        const TracedValue& value = recorder_.values()[index];
        if (value.constant.defined()) return;
        if (value.owner != nullptr) {
            const std::string& owner = recorder_.paths().at(value.owner);
            for (std::size_t c = user; !is_inside(owner, path(c)); c = parent(c)) Boundary::add(all_[c].inputs, index);
            return;
        }
        const std::size_t common = common_ancestor(user, value.call);
        for (std::size_t c = user; c != common; c = parent(c)) Boundary::add(all_[c].inputs, index);
        for (std::size_t c = value.call; c != common; c = parent(c)) Boundary::add(all_[c].outputs, index);
    }

    std::size_t parent(std::size_t call) const { return recorder_.calls()[call].parent; }
    std::string_view path(std::size_t call) const {
        const nn::Module* module = recorder_.calls()[call].module;
        return module == nullptr ? std::string_view() : recorder_.paths().at(module);
    }
    // A call is made after the one that makes it.
    std::size_t common_ancestor(std::size_t a, std::size_t b) const {
        while (a != b) (a > b ? a : b) = parent(std::max(a, b));
        return a;
    }

    const TraceRecorder& recorder_;
    std::vector<Boundary> all_;
};

// The tree of script modules, without methods.
class ScriptModules {
  public:
    explicit ScriptModules(ir::CompilationUnit& unit) : unit_(unit) {}

    nn::ModulePtr make(const nn::ModulePtr& module, const std::string& name) {
        if (const auto found = made_.find(module.get()); found != made_.end()) return found->second;
        if (compiled_.contains(module.get())) return made_[module.get()] = module;
        const auto type = make_ptr<ClassType>(unit_.mangle(name), true);
        unit_.add_type(type);
        const auto script = make_ptr<nn::Module>(type);
        made_.emplace(module.get(), script);
        add(*script, "training", module->is_training(), types::boolean(), AttributeKind::Attribute);
        for (const auto& [own, t] : module->own_parameters())
            add(*script, own, t, types::tensor(), AttributeKind::Parameter);
        for (const auto& [own, t] : module->own_buffers()) add(*script, own, t, types::tensor(), AttributeKind::Buffer);
        for (const auto& [own, child] : module->children()) {
            const nn::ModulePtr scripted = make(child, qualified_name(*child));
            add(*script, own, Ptr<Object>(scripted), scripted->type(), AttributeKind::Module);
        }
        return script;
    }
    const nn::ModulePtr& of(const nn::Module* module) const { return made_.at(module); }

    // Modules that stay as they are. To be set before the first is made.
    void keep(const std::vector<const nn::Module*>& compiled) {
        for (const nn::Module* module : compiled) {
            if (!compiled_.insert(module).second) continue;
            if (unit_.find_type(module->type()->name()) == nullptr) unit_.add_type(module->type());
        }
    }

    static std::string qualified_name(const nn::Module& module) {
        const std::string& name = module.type()->name();
        return name.starts_with("__torch__.") ? name : concat("__torch__.", name);
    }

  private:
    static void add(nn::Module& to, const std::string& name, IValue value, const TypePtr& type, AttributeKind kind) {
        to.set_slot(to.type()->add_attribute(name, type, kind), std::move(value));
    }

    ir::CompilationUnit& unit_;
    std::unordered_set<const nn::Module*> compiled_;
    std::unordered_map<const nn::Module*, nn::ModulePtr> made_;
};

class Methods {
  public:
    using Counts = std::unordered_map<const nn::Module*, std::size_t>;
    // root_method: the name of the first call's method. calls: the number of methods of each module.
    Methods(const TraceRecorder& recorder, ir::CompilationUnit& unit, const ScriptModules& modules, Counts& calls,
            std::string root_method)
        : recorder_(recorder),
          unit_(unit),
          modules_(modules),
          boundaries_(recorder),
          calls_of_(calls),
          root_method_(std::move(root_method)) {}

    // The method or function of a call.
    ir::ScriptFunction& make(std::size_t call, const std::string& function_name) {
        const TracedCall& traced = recorder_.calls()[call];
        Level level{call, make_ptr<Graph>(), {}, {}};
        if (traced.module != nullptr) {
            level.objects[""] = level.graph->add_input("self", modules_.of(traced.module)->type());
        }
        for (const ValueIndex input : call == 0 ? recorder_.inputs() : boundaries_.of(call).inputs) {
            const TracedValue& value = recorder_.values()[input];
            level.values[input] = level.graph->add_input(value.name, value.type);
        }
        for (const TracedCall::Item& item : traced.items) {
            if (item.is_call)
                add_call(item.index, level);
            else
                add_node(recorder_.nodes()[item.index], level);
        }
        level.graph->add_output(result(level));
        remove_unused(*level.graph);
        return add_function(traced.module, function_name, level.graph, call == 0 ? root_method_ : std::string());
    }

  private:
    struct Level {
        std::size_t call;
        Ptr<Graph> graph;
        std::unordered_map<ValueIndex, Value*> values;
        std::unordered_map<std::string, Value*> objects;  // modules by path from self
    };

    // Nodes that only Python's own values depended on, and unused ones.
    static void remove_unused(Graph& graph) {
        for (Node* node = graph.return_node()->prev(); node != graph.param_node();) {
            Node* const before = node->prev();
            if (!node->has_uses() && !node->has_side_effects() && !node->is_random()) node->destroy();
            node = before;
        }
    }

    ir::ScriptFunction& add_function(const nn::Module* module, const std::string& function_name,
                                     const Ptr<Graph>& graph, const std::string& method) {
        FunctionSchema schema;
        for (std::size_t i = 0; i < graph->inputs().size(); ++i) {
            const Value& input = *graph->inputs()[i];
            Argument argument;
            argument.name = input.has_name() ? input.debug_name() : concat("argument_", i);
            if (const auto dot = argument.name.find('.'); dot != std::string::npos) argument.name.resize(dot);
            argument.type = erased(input.type());
            schema.arguments.push_back(std::move(argument));
        }
        Argument returned;
        returned.type = erased(graph->outputs()[0]->type());
        schema.returns.push_back(std::move(returned));
        if (module == nullptr) {
            schema.name = function_name;
            return unit_.add_function(make_ptr<ir::ScriptFunction>(function_name, graph, schema));
        }
        ClassType& type = *modules_.of(module)->type();
        if (method.empty()) {
            const std::size_t before = calls_of_[module]++;
            schema.name = before == 0 ? "forward" : concat("forward", before);
        } else {
            schema.name = method;
        }
        return unit_.add_method(type,
                                make_ptr<ir::ScriptFunction>(concat(type.name(), ".", schema.name), graph, schema));
    }

    Value* result(Level& level) {
        if (level.call == 0) return input(recorder_.output(), level);
        const auto& outputs = boundaries_.of(level.call).outputs;
        if (outputs.empty()) return level.graph->insert_constant(IValue());
        std::vector<Value*> values;
        std::vector<TypePtr> types;
        for (const ValueIndex output : outputs) {
            values.push_back(value_of(output, level));
            types.push_back(values.back()->type());
        }
        if (values.size() == 1) return values.front();
        Node* tuple = level.graph->insert(level.graph->create(ir::prim::TupleConstruct, values));
        return tuple->output()->set_type(types::tuple(std::move(types)));
    }

    // --- reading ---

    // Reads self.a.b.c at the top of the graph, before existing reads: each path from self separately, as PyTorch does.
    Value* read_path(const std::string& path, Level& level) {
        Node* last = level.graph->param_node();
        Value* object = level.objects.at("");
        for (const auto part : split(path, '.')) {
            const std::string name(part);
            const auto* type = object->type()->as<ClassType>();
            const ClassType::Attribute& attribute = type->attributes()[*type->find_attribute(name)];
            Node* node = level.graph->create(ir::prim::GetAttr, {object});
            node->set_s(ir::attr::name, name);
            node->insert_after(last);
            object = node->output()->set_type(attribute.type)->set_name(identifier(name));
            last = node;
        }
        return object;
    }

    Value* object_at(const std::string& path, Level& level) {
        if (const auto found = level.objects.find(path); found != level.objects.end()) return found->second;
        return level.objects[path] = read_path(path, level);
    }

    // A value has no name that is a number.
    static std::string identifier(const std::string& name) {
        return !name.empty() && name[0] >= '0' && name[0] <= '9' ? "_" + name : name;
    }

    std::string path_inside(const nn::Module* module, const Level& level) const {
        const std::string& outer = recorder_.paths().at(recorder_.calls()[level.call].module);
        const std::string& path = recorder_.paths().at(module);
        if (outer.empty()) return path;
        return path.size() == outer.size() ? std::string() : path.substr(outer.size() + 1);
    }

    Value* value_of(ValueIndex index, Level& level) {
        if (const auto found = level.values.find(index); found != level.values.end()) return found->second;
        const TracedValue& value = recorder_.values()[index];
        Value* made = nullptr;
        if (value.constant.defined()) {
            made = level.graph->insert_constant(value.constant);
        } else if (value.owner != nullptr) {
            const std::string owner = path_inside(value.owner, level);
            made = read_path(owner.empty() ? value.name : concat(owner, ".", value.name), level);
        } else {
            throw Error(ErrorKind::Internal, concat("a traced value is used before it is made: ", value.type->str()));
        }
        return level.values[index] = made;
    }

    Value* input(const TracedInput& given, Level& level) {
        Graph& graph = *level.graph;
        if (const auto* value = std::get_if<ValueIndex>(&given.what)) return value_of(*value, level);
        if (const auto* constant = std::get_if<IValue>(&given.what)) return graph.insert_constant(*constant);
        const auto& list = std::get<TracedInput::List>(given.what);
        std::vector<Value*> elements;
        for (const TracedInput& element : list.elements) elements.push_back(input(element, level));
        Node* node = graph.insert(graph.create(ir::prim::ListConstruct, elements));
        const bool is_number = list.element->kind() == TypeKind::Number && !elements.empty();
        return node->output()->set_type(types::list(is_number ? elements.front()->type() : list.element));
    }

    // --- writing ---

    void add_node(const TracedNode& traced, Level& level) {
        Graph& graph = *level.graph;
        graph.set_current_range(traced.range);
        std::vector<Value*> inputs;
        if (traced.compiled.module != nullptr)
            inputs.push_back(object_at(path_inside(traced.compiled.module, level), level));
        else if (traced.compiled.function != nullptr)
            inputs.push_back(graph.insert(ir::create_function_constant(graph, *traced.compiled.function))->output());
        for (const TracedInput& given : traced.inputs) inputs.push_back(input(given, level));
        Node* node = graph.insert(graph.create(Symbol::intern(traced.kind), inputs, traced.outputs.size()));
        for (std::size_t i = 0; i < traced.outputs.size(); ++i) {
            node->output(i)->set_type(recorder_.values()[traced.outputs[i]].type);
            level.values[traced.outputs[i]] = node->output(i);
        }
        if (traced.compiled.module != nullptr) node->set_s(ir::attr::name, traced.compiled.function->name());
        if (traced.op != nullptr) node->set_op(traced.op);
        graph.set_current_range({});
    }

    void add_call(std::size_t call, Level& level) {
        Graph& graph = *level.graph;
        const nn::Module* module = recorder_.calls()[call].module;
        const ir::ScriptFunction& method = make(call, {});
        const Boundary& boundary = boundaries_.of(call);
        std::vector<Value*> inputs{object_at(path_inside(module, level), level)};
        for (const ValueIndex given : boundary.inputs) inputs.push_back(value_of(given, level));
        Node* node = graph.insert(graph.create(ir::prim::CallMethod, inputs));
        node->set_s(ir::attr::name, method.name());
        node->output()->set_type(method.schema().returns[0].type);
        if (boundary.outputs.size() == 1) level.values[boundary.outputs[0]] = node->output();
        if (boundary.outputs.size() < 2) return;
        Node* parts = graph.insert(graph.create(ir::prim::TupleUnpack, {node->output()}, boundary.outputs.size()));
        for (std::size_t i = 0; i < boundary.outputs.size(); ++i) {
            parts->output(i)->set_type(recorder_.values()[boundary.outputs[i]].type);
            level.values[boundary.outputs[i]] = parts->output(i);
        }
    }

    const TraceRecorder& recorder_;
    ir::CompilationUnit& unit_;
    const ScriptModules& modules_;
    Boundaries boundaries_;
    Counts& calls_of_;
    std::string root_method_;
};

}  // namespace

struct TraceBuilder::State {
    Ptr<ir::CompilationUnit> unit = make_ptr<ir::CompilationUnit>();
    ScriptModules modules{*unit};
    Methods::Counts calls;
};

TraceBuilder::TraceBuilder() : state_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() = default;

Trace TraceBuilder::add(const TraceRecorder& recorder, const nn::ModulePtr& root, const std::string& name,
                        const std::string& method) {
    Trace trace;
    trace.unit = state_->unit;
    state_->modules.keep(recorder.compiled_modules());
    if (root) trace.module = state_->modules.make(root, name.empty() ? ScriptModules::qualified_name(*root) : name);
    const bool is_named = root && !method.empty();
    trace.forward = &Methods(recorder, *trace.unit, state_->modules, state_->calls,
                             is_named ? method
                             : root   ? "forward"
                                      : "")
                         .make(0, name);
    trace.warnings = recorder.warnings();
    return trace;
}

Trace build_trace(const TraceRecorder& recorder, const nn::ModulePtr& root, const std::string& name) {
    return TraceBuilder().add(recorder, root, name);
}

}  // namespace loupe::runtime
