// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a traced program stand: the modules that are being called and the lines of the user's files.
#include <algorithm>

#include "core/base/strings.h"
#include "core/base/trimmed.h"
#include "core/formats/exported/program_tracer.h"
#include "core/formats/exported/python_class.h"

namespace loupe::exported {
namespace {

// "File "x.py", line 3, in forward" and the line.
std::string frame_text(const ir::SourceRange& range, std::string_view function) {
    const ir::SourceRange original = range.original();
    const auto position = original.position();
    if (!position) return {};
    std::string text = concat("File \"", position->file, "\", line ", position->line, ", in ", function);
    if (const auto line = trimmed(original.line_text()); !line.empty()) text += concat("\n    ", line);
    return text;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool is_container(const nn::Module& module) {
    const std::string name = module.class_name();
    return name == "ModuleList" || name == "ModuleDict";
}

}  // namespace

// "__torch__.torch.nn.modules.linear.___torch_mangle_3.Linear" is torch.nn.modules.linear.Linear.
std::string python_class(const std::string& qualified) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(qualified, '.')) {
        if (part == "__torch__" || part.starts_with("___torch_mangle_")) continue;
        parts.emplace_back(part);
    }
    return parts.size() == 1 ? concat("__main__.", parts[0]) : join(parts, ".");
}

std::string ProgramTracer::module_stack(const std::string& scope) const {
    std::vector<std::string> entries;
    const auto add = [&](const std::string& path) {
        const nn::ModulePtr module = module_->get_submodule(path);
        if (!module || (is_container(*module) && path != scope)) return;
        entries.push_back(concat("L__self__", path, ",", path, ",", python_class(module->type()->name())));
    };
    add({});
    for (std::size_t at = scope.find('.'); at != std::string::npos; at = scope.find('.', at + 1))
        add(scope.substr(0, at));
    if (!scope.empty()) add(scope);
    return join(entries, ";");
}

std::string ProgramTracer::stack_trace() const {
    std::vector<std::string> frames;
    const auto add = [&](std::string text) {
        if (!text.empty() && (frames.empty() || frames.back() != text)) frames.push_back(std::move(text));
    };
    for (const Frame& frame : frames_) {
        if (frame.at == nullptr) continue;
        std::vector<std::string> inlined;
        std::string function = frame.function;
        for (auto call = frame.at->inlined_from(); call != nullptr; call = call->caller) {
            const std::string_view outer =
                call->caller ? last_part(call->caller->function) : std::string_view(frame.function);
            inlined.push_back(frame_text(call->range, outer));
            if (call == frame.at->inlined_from()) function = last_part(call->function);
        }
        std::for_each(inlined.rbegin(), inlined.rend(), add);
        add(frame_text(frame.at->range(), function));
    }
    return join(frames, "\n  ");
}

Json ProgramTracer::place() const {
    if (frames_.empty()) return Json::object();
    std::string scope = frames_.back().scope;
    if (const ir::Node* at = frames_.back().at; at != nullptr && !at->scope().empty()) scope = at->scope();
    Json out{{"nn_module_stack", module_stack(scope)}};
    if (std::string trace = stack_trace(); !trace.empty()) out["stack_trace"] = std::move(trace);
    return out;
}

}  // namespace loupe::exported
