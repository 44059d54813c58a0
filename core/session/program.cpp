// SPDX-License-Identifier: Apache-2.0
#include "core/session/program.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/call.h"
#include "core/ops/plugin_loader.h"
#include "core/runtime/interpreter.h"
#include "core/session/inputs.h"
#include "core/session/pipelines.h"

namespace loupe::session {

std::shared_ptr<Program> Program::open(const std::filesystem::path& path) {
    plugins();  // formats, operators and kernels of plugins count from the first file on
    auto program = std::make_shared<Program>();
    program->file_ = open_model(path);
    auto info = std::make_shared<ModelInfo>(describe_model(program->file_, path));
    try {
        const std::string name = program->default_method();
        const ir::ScriptFunction& method = program->method(name);
        BuiltGraph built = build_graph_model(*method.graph(), program->file_.module, name);
        info->graph = std::move(built.model);
        for (BuiltGraph::Missing& missing : built.missing) info->missing_operators.push_back(std::move(missing.line));
    } catch (const Error& error) {
        // A model that cannot run can still be looked at.
        if (error.kind() == ErrorKind::Cancelled) throw;
        info->missing_operators.push_back(error.what());
    }
    program->info_ = std::move(info);
    return program;
}

const ir::ScriptFunction& Program::method(const std::string& name) const {
    if (const auto* function = dynamic_cast<const ir::ScriptFunction*>(file_.module->type()->find_method(name))) return *function;
    std::vector<std::string> names;
    for (const auto& [own, method] : file_.module->type()->methods()) names.push_back(own);
    throw Error(ErrorKind::Usage, concat("the model has no method '", name, "'"),
                {.hint = names.empty() ? std::string("it has none") : concat("it has ", join(names, ", "))});
}

std::vector<std::string> Program::missing_operators() const {
    std::vector<std::string> schemas;
    for (const auto& [name, function] : file_.module->type()->methods()) {
        const auto* method = dynamic_cast<const ir::ScriptFunction*>(function);
        if (method == nullptr) continue;
        for (BuiltGraph::Missing& missing : build_graph_model(*method->graph(), file_.module, name).missing) {
            const bool is_known = std::find(schemas.begin(), schemas.end(), missing.schema) != schemas.end();
            if (!is_known && !missing.schema.empty()) schemas.push_back(std::move(missing.schema));
        }
    }
    return schemas;
}

std::string Program::default_method() const {
    const auto& methods = file_.module->type()->methods();
    if (file_.module->type()->find_method("forward") == nullptr && !methods.empty()) return methods.front().first;
    return "forward";
}

PreparedMethod::PreparedMethod(std::shared_ptr<Program> program, const std::string& method, const std::string& pipeline)
    : program_(std::move(program)), function_(program_->method(method)), name_(method), graph_(function_.graph()) {
    if (pipeline.empty() || pipeline == "none") return;
    graph_ = run_pipeline(pipeline, *graph_, program_->file().module);
    takes_self_ = !graph_->inputs().empty() && graph_->inputs().size() == function_.graph()->inputs().size();
    code_ = runtime::Code::make(graph_, function_.qualified_name());
}

BuiltGraph PreparedMethod::build_graph() const {
    return build_graph_model(*graph_, takes_self_ ? program_->file().module : nullptr, name_);
}

IValue PreparedMethod::forward(std::vector<IValue> arguments) const {
    if (!code_) return runtime::run_method(program_->file().module, name_, std::move(arguments));
    const Ptr<Object> self(program_->file().module);
    const auto run = [&](std::vector<IValue> inputs) -> IValue {
        if (takes_self_) inputs.insert(inputs.begin(), IValue(self));
        std::vector<IValue> results = runtime::run_code(*code_, std::move(inputs));
        if (results.size() == 1) return std::move(results.front());
        return make_ptr<TupleObject>(std::move(results));
    };
    return name_ == "forward" ? runtime::run_with_hooks(self, std::move(arguments), run) : run(std::move(arguments));
}

void require_input_gradients(const std::vector<IValue>& arguments) {
    for (const IValue& argument : arguments) {
        visit_tensors(argument, [](const Tensor& t) {
            if (t.defined() && is_differentiable(t.dtype()) && is_leaf(t)) set_requires_grad(t, true);
        });
    }
}

void run_backward(const TensorList& outputs, const TensorList& cotangents) {
    static const OperatorHandle<> ones_like{"aten::ones_like"};
    TensorList roots;
    TensorList gradients;
    const ToldScope told;  // the first gradients are no part of the run
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!requires_grad(outputs[i])) continue;
        roots.push_back(outputs[i]);
        gradients.push_back(i < cotangents.size() && cotangents[i].defined() ? cotangents[i] : ones_like(detach(outputs[i])));
    }
    if (roots.empty()) {
        throw Error(ErrorKind::Run, "element 0 of tensors does not require grad and does not have a grad_fn",
                    {.hint = "no output depends on a parameter or input that requires grad"});
    }
    backward(roots, gradients);
}

void run_phases(const PreparedMethod& method, std::vector<IValue> arguments, bool backward) {
    const GradModeScope grad(backward);
    TensorList outputs;
    {
        const MemoryCategoryScope category(MemoryCategory::Activation);
        const IValue result = method.forward(std::move(arguments));
        if (backward) outputs = flatten_tensors(result);
    }
    if (!backward) return;
    const MemoryCategoryScope category(MemoryCategory::Gradient);
    run_backward(outputs);
}

}  // namespace loupe::session
