// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/layer_stack.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"
#include "core/study/studies/module_outputs.h"

namespace loupe::session {
namespace {

// The last part of a path as a number; -1: it is none.
std::int64_t number_of(const std::string& path) {
    const std::string last = path.substr(path.rfind('.') + 1);
    std::int64_t number = -1;
    const char* const end = last.data() + last.size();
    const auto [stop, failed] = std::from_chars(last.data(), end, number);
    return failed == std::errc() && stop == end ? number : -1;
}

// Modules 0, 1, ... below one parent, in their order.
std::vector<std::vector<const ModuleInfo*>> numbered_siblings(const ModelInfo& info) {
    std::vector<std::vector<const ModuleInfo*>> out;
    for (const ModuleInfo& parent : info.modules) {
        std::vector<const ModuleInfo*> row;
        for (const int child : parent.children) {
            const ModuleInfo& module = info.modules[static_cast<std::size_t>(child)];
            if (number_of(module.path) == std::ssize(row)) row.push_back(&module);
        }
        if (!row.empty()) out.push_back(std::move(row));
    }
    return out;
}

struct Call {
    int count = 0;
    Tensor input, output;
};

bool is_hidden(const Tensor& t) { return t.defined() && is_floating(t.dtype()) && t.dim() >= 2 && t.dim() <= 3; }

bool same_sizes(const Tensor& a, const Tensor& b) {
    return is_hidden(a) && is_hidden(b) && std::ranges::equal(a.sizes(), b.sizes());
}

bool is_stack(const std::vector<const ModuleInfo*>& row, const std::map<std::string, Call>& calls) {
    const Tensor& first = calls.at(row.front()->path).input;
    return std::ranges::all_of(row, [&](const ModuleInfo* module) {
        const Call& call = calls.at(module->path);
        return call.count == 1 && same_sizes(call.output, first);
    });
}

std::int64_t parameters_of(const std::vector<const ModuleInfo*>& row) {
    std::int64_t sum = 0;
    for (const ModuleInfo* module : row) sum += module->parameter_count;
    return sum;
}

}  // namespace

bool has_numbered_modules(const ModelInfo& info) { return !numbered_siblings(info).empty(); }

LayerStack find_layers(const StudySubject& subject) {
    const auto rows = numbered_siblings(subject.info());
    std::map<std::string, Call> calls;
    LayerStack out;
    {
        ModuleHooks hooks;
        for (const auto& row : rows)
            for (const ModuleInfo* module : row) {
                Call& call = calls[module->path];
                hooks.add(subject, module->path,
                          [&call](const std::vector<IValue>& inputs, const IValue& output) -> std::optional<IValue> {
                              ++call.count;
                              const Tensor in = inputs.empty() ? Tensor() : main_tensor(inputs.front());
                              const Tensor made = main_tensor(output);
                              if (is_hidden(in)) call.input = fn::clone(detach(in));
                              if (is_hidden(made)) call.output = fn::clone(detach(made));
                              return std::nullopt;
                          });
            }
        out.result = run_subject(subject);
    }
    const Tensor scores = main_tensor(out.result);
    const std::vector<const ModuleInfo*>* most = nullptr;
    for (const auto& row : rows) {
        if (!is_stack(row, calls)) continue;
        const Tensor& hidden = calls.at(row.front()->path).output;
        const bool fits = scores.defined() && scores.dim() == hidden.dim() && scores.size(-2) <= hidden.size(-2);
        if (fits && (most == nullptr || parameters_of(row) >= parameters_of(*most))) most = &row;
    }
    if (most == nullptr)
        throw Error(ErrorKind::Run,
                    "no layers stand one on the other: numbered modules that are each called once and give "
                    "tensors of one size, as many places as there are scores");
    out.input = calls.at(most->front()->path).input;
    for (const ModuleInfo* module : *most) {
        out.paths.push_back(module->path);
        out.outputs.push_back(calls.at(module->path).output);
    }
    return out;
}

}  // namespace loupe::session
