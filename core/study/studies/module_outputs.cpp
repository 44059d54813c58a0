// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/module_outputs.h"

#include <algorithm>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"

namespace loupe::session {

ModuleHooks::~ModuleHooks() {
    for (RemovableHandle& handle : handles_) handle.remove();
}

void ModuleHooks::add(const StudySubject& subject, const std::string& path, Hook hook) {
    const nn::ModulePtr module = subject.program().module().get_submodule(path);
    if (!module) throw Error(ErrorKind::Usage, concat("no module ", loupe::quoted(path)));
    handles_.push_back(
        module->register_forward_hook([hook = std::move(hook)](nn::Module&, const std::vector<IValue>& inputs,
                                                               const IValue& output) { return hook(inputs, output); }));
}

Tensor main_tensor(const IValue& output) {
    const TensorList all = flatten_tensors(output);
    const auto found = std::ranges::find_if(all, [](const Tensor& t) { return t.defined(); });
    return found == all.end() ? Tensor() : *found;
}

IValue run_subject(const StudySubject& subject) {
    const PreparedMethod method(subject.shared_program(), subject.method(), "none");
    return method.forward(subject.fresh_arguments());
}

Tensor output_of(const StudySubject& subject, const std::string& path) {
    ModuleHooks hooks;
    Tensor found;
    hooks.add(subject, path, [&](const std::vector<IValue>&, const IValue& output) -> std::optional<IValue> {
        // A copy: an operator behind it may write it in place.
        if (const Tensor t = main_tensor(output); t.defined()) found = fn::clone(detach(t));
        return std::nullopt;
    });
    run_subject(subject);
    if (!found.defined())
        throw Error(ErrorKind::Run, concat("the model does not call ", loupe::quoted(path), ", or it gives no tensor"));
    return found;
}

std::vector<std::string> module_paths(const StudySubject& subject) {
    std::vector<std::string> out;
    for (const ModuleInfo& module : subject.info().modules)
        if (!module.path.empty()) out.push_back(module.path);
    return out;
}

bool has_convolution(const ModelInfo& info, const ModuleInfo& module) {
    const bool has_own =
        std::ranges::any_of(module.parameters, [](const TensorInfo& parameter) { return parameter.shape.size() == 4; });
    return has_own || std::ranges::any_of(module.children, [&](int child) {
               return has_convolution(info, info.modules[static_cast<std::size_t>(child)]);
           });
}

}  // namespace loupe::session
