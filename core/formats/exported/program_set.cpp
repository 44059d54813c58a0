// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_set.h"

#include <cctype>
#include <set>

#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/ir/function.h"
#include "core/ir/graph.h"

namespace loupe::exported {
namespace {

std::string identifier(const std::string& name, std::set<std::string>& taken) {
    std::string out;
    for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out.insert(0, "_");
    while (out == "training" || !taken.insert(out).second) out += '_';
    return out;
}

// self.NAME.forward(...)
Ptr<ir::Graph> call_of(const std::string& name, const nn::Module& root, const nn::Module& part) {
    const Function* forward = part.type()->find_method("forward");
    if (forward == nullptr) throw_file_error(concat("the program ", quote_name(name), " has no forward"));
    const auto graph = make_ptr<ir::Graph>();
    ir::Node* read = graph->insert(graph->create(ir::prim::GetAttr, {graph->add_input("self", root.type())}));
    read->set_s(ir::attr::name, name);
    std::vector<ir::Value*> inputs{read->output()->set_type(part.type())};
    const FunctionSchema& schema = forward->schema();
    for (std::size_t i = 1; i < schema.arguments.size(); ++i)
        inputs.push_back(graph->add_input(schema.arguments[i].name, schema.arguments[i].type));
    ir::Node* call = graph->insert(graph->create(ir::prim::CallMethod, inputs));
    call->set_s(ir::attr::name, "forward");
    graph->add_output(call->output()->set_type(schema.returns.at(0).type));
    return graph;
}

}  // namespace

ModelFile join_programs(std::vector<NamedProgram> programs, const Ptr<ir::CompilationUnit>& unit) {
    ModelFile all;
    all.unit = unit;
    const auto type = make_ptr<ClassType>(unit->mangle("__torch__.Programs"), true);
    unit->add_type(type);
    all.module = make_ptr<nn::Module>(type);
    all.module->set_slot(type->add_attribute("training", types::boolean()), IValue(false));
    std::set<std::string> taken;
    std::vector<std::string> names;
    for (NamedProgram& each : programs) {
        const std::string name = identifier(each.name, taken);
        const nn::ModulePtr& part = each.model.module;
        all.module->set_slot(type->add_attribute(name, part->type(), AttributeKind::Module), IValue(Ptr<Object>(part)));
        if (each.model.examples) all.method_examples.emplace(name, std::move(*each.model.examples));
        all.sources.insert(all.sources.end(), each.model.sources.begin(), each.model.sources.end());
        names.push_back(name);
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Ptr<ir::Graph> graph = call_of(names[i], *all.module, *programs[i].model.module);
        unit->add_method(*type, make_ptr<ir::ScriptFunction>(concat(type->name(), ".", names[i]), graph));
    }
    all.format =
        concat(programs.front().model.format, "; ", programs.size(), " programs, each a method: ", join(names, ", "));
    return all;
}

}  // namespace loupe::exported
