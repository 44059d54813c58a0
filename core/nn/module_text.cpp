// SPDX-License-Identifier: Apache-2.0
// A module tree as PyTorch prints it.
#include "core/nn/module_text.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/nn/layer.h"
#include "core/nn/module.h"

namespace loupe::nn {
namespace {

constexpr std::size_t kDeepest = 200;

std::string indented(std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3))
        text.replace(at, 1, "\n  ");
    return text;
}

std::string text_of(const Module& module, std::size_t depth) {
    if (depth > kDeepest) throw Error(ErrorKind::Run, "modules nest too deeply to be printed");
    std::vector<std::string> lines;
    const std::string extra = module.extra_repr();
    if (!extra.empty()) {
        for (const auto line : split(extra, '\n')) lines.emplace_back(line);
    }
    const std::size_t extra_lines = lines.size();
    std::vector<std::pair<std::string, std::string>> children;
    for (const auto& attribute : module.type()->attributes()) {
        if (attribute.kind != AttributeKind::Module) continue;
        const ModulePtr child = as_module(module.attribute(attribute.name));
        children.emplace_back(attribute.name, child ? indented(text_of(*child, depth + 1)) : "None");
    }
    for (std::string& line : lines_of_children(module, children)) lines.push_back(std::move(line));
    std::string out = module.class_name() + "(";
    if (lines.size() == 1 && extra_lines == 1) {
        out += lines[0];
    } else if (!lines.empty()) {
        out += concat("\n  ", join(lines, "\n  "), "\n");
    }
    return out + ")";
}

}  // namespace

std::vector<std::string> lines_of_children(const Module& module,
                                           const std::vector<std::pair<std::string, std::string>>& children) {
    const bool folds = !is_older_torch() && module.layer() != nullptr && is_derived(*module.layer(), "ModuleList");
    std::vector<std::string> out;
    for (std::size_t first = 0, next = 0; first < children.size(); first = next) {
        const auto& [name, text] = children[first];
        next = first + 1;
        while (folds && next < children.size() && children[next].second == text) ++next;
        if (next - first == 1)
            out.push_back(concat("(", name, "): ", text));
        else
            out.push_back(concat("(", name, "-", children[next - 1].first, "): ", next - first, " x ", text));
    }
    return out;
}

std::string Module::extra_repr() const {
    if (extra_repr_) return extra_repr_(*this);
    return layer_ != nullptr ? extra_repr_of(*this, *layer_) : std::string();
}

std::string Module::str() const { return text_of(*this, 0); }

}  // namespace loupe::nn
