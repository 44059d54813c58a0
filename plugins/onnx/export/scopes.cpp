// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/scopes.h"

#include <algorithm>
#include <cctype>

#include "core/base/strings.h"

namespace loupe::onnx_export {
namespace {

// "__torch__.torchvision.models.___torch_mangle_3.ResNet" as Python names the class.
std::string python_name(std::string_view qualified) {
    std::string out;
    for (const std::string_view part : split(qualified, '.')) {
        if (part == "__torch__" || part.starts_with("___torch_mangle_")) continue;
        if (!out.empty()) out += '.';
        out += part;
    }
    return out;
}

// "aten::add.Tensor" as dispatch names it: "aten.add.Tensor", without an overload "aten.relu.default".
std::string target_of(const ir::Node& node) {
    const FunctionSchema* schema = node.schema();
    if (schema == nullptr) return concat(node.kind().space(), ".", node.kind().name());
    const std::string_view name = schema->name;
    const auto colons = name.find("::");
    const std::string dotted =
        colons == std::string::npos ? std::string(name) : concat(name.substr(0, colons), ".", name.substr(colons + 2));
    return concat(dotted, ".", schema->overload.empty() ? std::string("default") : schema->overload);
}

std::string python_list(const std::vector<std::string>& parts) {
    std::vector<std::string> quoted;
    for (const std::string& part : parts) quoted.push_back(python_repr(std::string_view(part)));
    return concat("[", join(quoted, ", "), "]");
}

std::string stack_trace_of(const ir::Node& node) {
    const ir::SourceRange range = node.range().original();
    const auto position = range ? range.position() : std::nullopt;
    if (!position) return {};
    std::string_view line = range.line_text();
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) line.remove_prefix(1);
    return concat("File \"", position->file, "\", line ", position->line, ", in forward\n    ", line);
}

}  // namespace

const std::string& Scopes::class_of(const std::string& path) {
    const auto [place, is_new] = classes_.try_emplace(path);
    if (!is_new || !module_) return place->second;
    const Object* at = module_.get();
    for (const std::string_view part : split(path, '.')) {
        if (path.empty()) break;
        const auto slot = at->type()->find_attribute(part);
        const IValue* child = slot ? &at->slot(*slot) : nullptr;
        if (child == nullptr || !child->is_object()) return place->second;
        at = child->to_object().get();
    }
    place->second = python_name(at->type()->name());
    return place->second;
}

std::shared_ptr<const Metadata> Scopes::metadata_of(const ir::Node& node) {
    const std::string target = target_of(node);
    std::vector<std::string> names{""};
    std::vector<std::string> classes{class_of("")};
    std::string path;
    for (const std::string_view part : split(node.scope(), '.')) {
        if (part.empty()) continue;
        path += path.empty() ? std::string(part) : concat(".", part);
        // A list of modules is no frame of its own there: it is not called.
        if (class_of(path).empty()) continue;
        names.push_back(path);
        classes.push_back(class_of(path));
    }
    const bool is_named = !node.outputs().empty() && node.output(0)->has_name();
    names.push_back(is_named ? node.output(0)->debug_name() : std::string(node.kind().name()));
    classes.push_back(target);
    std::vector<std::string> frames;
    for (std::size_t i = 0; i < names.size(); ++i) frames.push_back(concat(names[i], ": ", classes[i]));
    auto metadata = std::make_shared<Metadata>();
    metadata->emplace_back("namespace", join(frames, "/"));
    metadata->emplace_back("pkg.torch.onnx.class_hierarchy", python_list(classes));
    metadata->emplace_back("pkg.torch.onnx.name_scopes", python_list(names));
    if (std::string trace = stack_trace_of(node); !trace.empty())
        metadata->emplace_back("pkg.torch.onnx.stack_trace", std::move(trace));
    return metadata;
}

}  // namespace loupe::onnx_export
