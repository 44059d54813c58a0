// SPDX-License-Identifier: Apache-2.0
#include "core/model/written_model.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/pipelines.h"
#include "core/passes/graph_tools.h"
#include "core/passes/subgraph_tools.h"

namespace loupe::session {
namespace {

void open_groups(ir::Graph& graph) {
    static const ir::Symbol fused = ir::Symbol::intern("prim::TensorExprGroup");
    passes::for_each_node(graph.block(), [](ir::Node* node) {
        const bool is_group = node->kind() == ir::prim::DifferentiableGraph || node->kind() == fused;
        if (is_group) passes::inline_group(node);
    });
}

// The method's schema says its types; the graph's inputs may know more.
Ptr<ir::ScriptFunction> method_of(const ir::ScriptFunction& from, const std::string& class_name,
                                  const Ptr<ir::Graph>& graph, const TypePtr& self) {
    FunctionSchema schema = from.schema();
    schema.arguments.at(0).type = self;
    return make_ptr<ir::ScriptFunction>(class_name + "." + from.name(), graph, std::move(schema));
}

// The model's own hooks run around the graph; those of its parts are inlined in it.
Function& hook_of(WrittenModel& written, const Function& hook, bool has_attributes) {
    const auto& from = dynamic_cast<const ir::ScriptFunction&>(hook);
    const Ptr<ClassType>& type = written.module->type();
    if (ir::ScriptFunction* known = written.unit->find_function(concat(type->name(), ".", from.name()))) return *known;
    const Ptr<ir::Graph> graph = from.graph()->copy();
    if (!has_attributes && graph->inputs()[0]->has_uses()) {
        throw Error(ErrorKind::Unsupported,
                    concat("the hook '", from.name(), "' reads the model, whose attributes are frozen"));
    }
    graph->inputs()[0]->set_type(type);
    return written.unit->add_function(method_of(from, type->name(), graph, type));
}

}  // namespace

WrittenModel model_after(const Program& program, const std::string& method, const std::string& pipeline) {
    const ir::ScriptFunction& function = program.method(method);
    const nn::ModulePtr& before = program.script_module();
    const Ptr<ir::Graph> graph = run_pipeline(pipeline, *function.graph(), before);
    open_groups(*graph);
    const bool takes_self = graph->inputs().size() == function.graph()->inputs().size();
    WrittenModel written{make_ptr<ir::CompilationUnit>(), nullptr};
    const auto type = make_ptr<ClassType>(before->type()->name(), true);
    written.unit->add_type(type);
    if (function.unit() != nullptr) written.unit->set_constants(*type, function.unit()->constants_of(*before->type()));
    written.module = make_ptr<nn::Module>(type);
    const auto& attributes = before->type()->attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        if (!takes_self && attributes[i].name != "training") continue;
        written.module->set_slot(type->add_attribute(attributes[i].name, attributes[i].type, attributes[i].kind),
                                 before->slot(i));
        const bool is_unsaved = before->slot(i).is_tensor() && !before->is_persistent(attributes[i].name);
        if (is_unsaved) written.module->register_buffer(attributes[i].name, before->slot(i).to_tensor(), false);
    }
    if (takes_self)
        graph->inputs()[0]->set_type(type);
    else
        graph->block()->insert_input(0, "self")->set_type(type);
    for (Function* hook : before->type()->forward_pre_hooks())
        type->add_forward_pre_hook(&hook_of(written, *hook, takes_self));
    for (Function* hook : before->type()->forward_hooks()) type->add_forward_hook(&hook_of(written, *hook, takes_self));
    written.unit->add_method(*type, method_of(function, type->name(), graph, type));
    return written;
}

}  // namespace loupe::session
