// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_tracer.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/call.h"
#include "core/passes/fake_run.h"
#include "core/runtime/interpreter/structural.h"
#include "core/value/map_tensors.h"

namespace loupe::exported {
namespace {

namespace prim = ir::prim;
using ir::Symbol;

const ir::ScriptFunction& script_of(const Function* function, const std::string& name) {
    const auto* script = dynamic_cast<const ir::ScriptFunction*>(function);
    if (script == nullptr) throw Error(ErrorKind::Unsupported, concat("'", name, "' is no script function"));
    return *script;
}

}  // namespace

ProgramTracer::ProgramTracer(const nn::ModulePtr& module)
    : module_(module),
      metadata_([this] { return place(); }),
      root_(std::make_unique<GraphRecorder>(values_, metadata_, nullptr)),
      recorder_(root_.get()) {
    for (const auto& [path, each] : module->named_modules()) paths_.emplace(each.get(), path);
}

// An error may leave regions with autocast begun.
ProgramTracer::~ProgramTracer() {
    while (!regions_.empty()) leave_region();
}

void ProgramTracer::add_model_tensor(const Tensor& tensor, const std::string& name) {
    const Tensor fake = passes::fake_tensor(tensor.sizes(), tensor.dtype(), tensor.strides());
    stand_ins_.emplace(tensor.impl(), fake);
    originals_.emplace(fake.impl(), tensor);
    values_.add_fixed(fake);
    root_->bind(fake, name);
}

IValue ProgramTracer::run(const ir::ScriptFunction& forward, Inputs inputs) {
    const AutocastScope mixed(autocast_settings());
    const GradModeScope grad(true);
    const auto& type = module_->type();
    for (const Function* hook : type->forward_pre_hooks()) {
        const IValue given = make_ptr<TupleObject>(inputs);
        const IValue result = call_function(script_of(hook, hook->name()), {IValue(Ptr<Object>(module_)), given}, {});
        if (result.is_tuple())
            inputs = result.to_tuple().elements;
        else if (!result.is_none())
            inputs = {result};
    }
    const IValue given = make_ptr<TupleObject>(inputs);
    const auto& formals = forward.graph()->inputs();
    if (!formals.empty() && formals[0]->type()->kind() == TypeKind::Class)
        inputs.insert(inputs.begin(), IValue(Ptr<Object>(module_)));
    IValue output = call_function(forward, std::move(inputs), {});
    for (const Function* hook : type->forward_hooks()) {
        IValue result = call_function(script_of(hook, hook->name()), {IValue(Ptr<Object>(module_)), given, output}, {});
        if (!result.is_none()) output = std::move(result);
    }
    while (!regions_.empty()) end_region(regions_.back().target);
    check_attributes();
    return output;
}

IValue ProgramTracer::call_function(const ir::ScriptFunction& function, Inputs inputs, std::string scope) {
    constexpr std::size_t kDeepest = 400;
    if (frames_.size() > kDeepest) throw Error(ErrorKind::Run, "calls nest too deep");
    const Ptr<ir::Graph> graph = function.graph();
    const auto& formals = function.schema().arguments;
    for (std::size_t i = inputs.size(); i < formals.size() && i < graph->inputs().size(); ++i)
        inputs.push_back(formals[i].default_value.value_or(IValue()));
    if (inputs.size() != graph->inputs().size())
        throw Error(ErrorKind::Run,
                    concat(function.name(), " takes ", graph->inputs().size(), " inputs, got ", inputs.size()));
    Values values;
    for (std::size_t i = 0; i < inputs.size(); ++i) values[graph->inputs()[i]] = std::move(inputs[i]);
    frames_.push_back({function.name(), std::move(scope)});
    run_block(*graph->block(), values);
    frames_.pop_back();
    std::vector<IValue> outputs;
    for (const ir::Value* output : graph->outputs()) outputs.push_back(values.at(output));
    if (outputs.empty()) return {};
    return outputs.size() == 1 ? outputs[0] : IValue(make_ptr<TupleObject>(std::move(outputs)));
}

void ProgramTracer::run_block(const ir::Block& block, Values& values) {
    for (const ir::Node* node : block.nodes()) {
        check_cancelled();
        frames_.back().at = node;
        const std::size_t depth = frames_.size();
        try {
            run_node(node, values);
        } catch (Error& error) {
            const std::string scope = node->scope().empty() ? frames_.back().scope : node->scope();
            if (frames_.size() == depth) error.add_context({.scope = scope, .source = node->range().short_text()});
            throw;
        }
    }
}

ProgramTracer::Inputs ProgramTracer::inputs_of(const ir::Node* node, Values& values) {
    Inputs inputs;
    for (const ir::Value* input : node->inputs()) inputs.push_back(values[input]);
    return inputs;
}

void ProgramTracer::run_node(const ir::Node* node, Values& values) {
    const Symbol kind = node->kind();
    if (kind == prim::If) return run_if(node, values);
    if (kind == prim::Loop) return run_loop(node, values);
    if (kind == prim::Constant) {
        values[node->output()] = stand_in(ir::constant_of(node).value_or(IValue()), {});
        return;
    }
    Inputs inputs = inputs_of(node, values);
    Inputs results;
    if (kind == prim::GetAttr)
        results = {read_attribute(node, inputs[0])};
    else if (kind == prim::SetAttr)
        write_attribute(node, inputs[0], inputs[1]);
    else if (kind == prim::Enter || kind == prim::Exit)
        results = {call_manager(node, inputs[0])};
    else if (kind == prim::CallMethod || kind == prim::CallFunction)
        results = {call_from(node, std::move(inputs))};
    else if (kind != prim::Print && node->op() != nullptr)
        results = run_operator(*node->op(), std::move(inputs));
    else if (kind != prim::Print)
        results = run_structure(node, std::move(inputs));
    for (std::size_t i = 0; i < node->outputs().size() && i < results.size(); ++i) {
        const bool is_made = results[i].is_list() || results[i].is_dict() || results[i].is_object();
        if (is_made && !made_inside_.empty() && kind != prim::GetAttr)
            made_inside_.back().insert(results[i].object_pointer());
        values[node->output(i)] = std::move(results[i]);
    }
}

ProgramTracer::Inputs ProgramTracer::run_structure(const ir::Node* node, Inputs inputs) {
    if (node->kind() == prim::isinstance && number_in(inputs[0])) inputs[0] = number_in(inputs[0])->hint;
    const bool is_raise = node->kind() == prim::RaiseException;
    if (is_raise && recorder_ != root_.get())
        throw Error(ErrorKind::Unsupported, "raises an exception when elements of tensors say so");
    const auto run = runtime::find_structural(node->kind());
    if (run == nullptr || node->block_count() > 0 || node->kind() == prim::tolist) {
        throw Error(ErrorKind::Unsupported, "a program of torch.export has no such operator",
                    {.op = node->kind().str()});
    }
    Inputs outputs(node->outputs().size());
    runtime::Instruction instruction;
    instruction.input_count = static_cast<std::uint16_t>(inputs.size());
    instruction.output_count = static_cast<std::uint16_t>(outputs.size());
    instruction.node = node;
    run({instruction, *node, inputs.data(), outputs.data(), nullptr});
    return outputs;
}

IValue ProgramTracer::call_from(const ir::Node* node, Inputs inputs) {
    std::string scope = frames_.back().scope;
    if (!node->scope().empty()) scope = node->scope();
    if (node->kind() == prim::CallFunction) {
        const Function* function = ir::function_of(node->input(0));
        if (function == nullptr) throw Error(ErrorKind::Unsupported, "a call of a function that is not known");
        inputs.erase(inputs.begin());
        return call_function(script_of(function, function->name()), std::move(inputs), std::move(scope));
    }
    const Ptr<Object> self = inputs[0].to_object();
    const std::string& name = node->s(ir::attr::name);
    const Function* method = self->type()->find_method(name);
    if (const auto found = paths_.find(self.get()); found != paths_.end()) scope = found->second;
    return call_function(script_of(method, name), std::move(inputs), std::move(scope));
}

// `with manager:` calls __enter__, and __exit__ without an exception.
IValue ProgramTracer::call_manager(const ir::Node* node, const IValue& manager) {
    const bool is_enter = node->kind() == prim::Enter;
    const std::string name = is_enter ? "__enter__" : "__exit__";
    const ir::ScriptFunction& method = script_of(manager.to_object()->type()->find_method(name), name);
    Inputs inputs{manager};
    if (!is_enter) inputs.resize(4);
    return call_function(method, std::move(inputs), frames_.back().scope);
}

// --- attributes ---

IValue ProgramTracer::read_attribute(const ir::Node* node, const IValue& owner) {
    const Ptr<Object> object = owner.to_object();
    const std::string& name = node->s(ir::attr::name);
    const auto slot = object->type()->find_attribute(name);
    for (const auto& [place, value] : written_) {
        if (slot && place.first == object && place.second == *slot) return value;
    }
    const auto path = paths_.find(object.get());
    const std::string full = path == paths_.end()   ? std::string()
                             : path->second.empty() ? name
                                                    : concat(path->second, ".", name);
    return stand_in(object->attribute(name), full);
}

void ProgramTracer::write_attribute(const ir::Node* node, const IValue& owner, const IValue& value) {
    const Ptr<Object> object = owner.to_object();
    const std::string& name = node->s(ir::attr::name);
    const bool is_models = paths_.contains(object.get());
    if (is_models && value.is_tensor() && object->attribute(name).is_tensor()) {
        const Tensor to = read_attribute(node, owner).to_tensor();
        if (to.is_same(value.to_tensor())) return;
        const TensorFacts& facts = values_.at(value.to_tensor());
        if (!facts.samples.empty() || !std::ranges::equal(to.sizes(), value.to_tensor().sizes()) ||
            to.dtype() != value.to_tensor().dtype())
            throw Error(
                ErrorKind::Unsupported,
                concat("'", name,
                       "' gets a tensor of another shape or dtype, which a program of torch.export cannot keep"));
        call_by_name("aten::copy_", {IValue(to), value, IValue(false)});
        return;
    }
    const auto slot = object->type()->find_attribute(name);
    if (!slot) throw Error(ErrorKind::Run, concat("no attribute '", name, "'"));
    if (!is_models) return object->set_slot(*slot, value);
    for (auto& [place, known] : written_) {
        if (place.first == object && place.second == *slot) return void(known = value);
    }
    written_.push_back({{object, *slot}, value});
}

// What a call leaves in attributes that are no tensors is lost in a program.
void ProgramTracer::check_attributes() const {
    for (const auto& [place, value] : written_) {
        const auto& [object, slot] = place;
        if (!holds_number(value) && values_equal(object->slot(slot), value)) continue;
        throw Error(ErrorKind::Unsupported,
                    concat("'", object->type()->attributes()[slot].name,
                           "' is changed by a call, which a program of torch.export cannot keep"),
                    {.scope = paths_.at(object.get())});
    }
}

IValue ProgramTracer::stand_in(const IValue& value, const std::string& path) {
    return map_tensors(value, [&](const Tensor& tensor) { return stand_in_tensor(tensor, path); });
}

Tensor ProgramTracer::stand_in_tensor(const Tensor& tensor, const std::string& path) {
    if (!tensor.defined()) return tensor;
    if (const auto found = stand_ins_.find(tensor.impl()); found != stand_ins_.end()) return found->second;
    if (values_.find(tensor) != nullptr) return tensor;  // one already
    if (tensor.is_sparse()) throw Error(ErrorKind::Unsupported, "a sparse tensor as a constant of a program");
    const bool is_wrapped = tensor.impl()->wrapped_number;
    const Tensor copy = tensor.shallow_copy();
    stand_ins_.emplace(tensor.impl(), copy);
    originals_.emplace(copy.impl(), tensor);
    TensorFacts& facts = values_.add_fixed(copy);
    facts.is_known = true;
    if (is_wrapped) facts.number = IValue(item(tensor));
    std::string target = path.empty() ? concat("lifted_tensor_", constants_.size()) : path;
    const std::string name = root_->fresh_name(concat("c_", target));
    root_->bind(copy, name);
    constants_.push_back({name, std::move(target), tensor});
    return copy;
}

}  // namespace loupe::exported
