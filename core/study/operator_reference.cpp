// SPDX-License-Identifier: Apache-2.0
#include "core/study/operator_reference.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/base/strings.h"
#include "core/study/operator_info.h"

namespace loupe::session {
namespace {

// A cell of a table: a bar ends it, a star would be emphasis.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("|*_<`\\").find(c) != std::string_view::npos) out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string code(std::string_view text) {
    std::string out = "`";
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out + "`";
}

std::string gradients(const OperatorInfo& op) {
    std::vector<std::string> found;
    for (const OperatorInfo::Argument& argument : op.arguments) {
        if (!argument.gradient.empty()) found.push_back(code(concat(argument.name, ": ", argument.gradient)));
    }
    if (!found.empty()) return join(found, " ");
    if (op.is_composite) return "by its parts";
    if (op.is_gradient_stop) return "ends here";
    return op.derivative.empty() ? "none" : code(op.derivative);
}

std::string kernels(const OperatorInfo& op) {
    std::vector<std::string> found;
    for (const OperatorInfo::Kernel& kernel : op.kernels) {
        const std::string one = kernel.device == "cpu" ? kernel.backend : concat(kernel.device, " ", kernel.backend);
        if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
    }
    return join(found, ", ");
}

std::string row(const OperatorInfo& op) {
    std::string what = escaped(op.summary);
    if (!op.variants.empty()) what += concat(" Also ", code(join(op.variants, ", ")), ".");
    return concat("| ", code(op.schema), " | ", what, " | ", gradients(op), " | ", escaped(kernels(op)), " |\n");
}

}  // namespace

std::vector<ReferencePage> operator_reference() {
    std::map<std::string, std::vector<OperatorInfo>> families;
    std::set<std::string> forms;  // that stand in the row of another
    for (OperatorInfo& op : list_operators()) {
        if (forms.contains(op.name)) continue;
        forms.insert(op.variants.begin(), op.variants.end());
        families[op.family].push_back(std::move(op));
    }
    std::vector<ReferencePage> pages;
    for (auto& [family, operators] : families) {
        std::sort(operators.begin(), operators.end(),
                  [](const OperatorInfo& a, const OperatorInfo& b) { return a.name < b.name; });
        ReferencePage page{concat("operators_", family), concat("Operators: ", family), {}};
        page.markdown =
            concat("# ", page.title, "\n\n| operator | computes | gradient | kernels |\n| --- | --- | --- | --- |\n");
        for (const OperatorInfo& op : operators) page.markdown += row(op);
        pages.push_back(std::move(page));
    }
    return pages;
}

}  // namespace loupe::session
