// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/graph_convolutions.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/ir/function.h"
#include "core/ir/graph.h"

namespace loupe::session {
namespace {

// "aten::conv2d", "aten::_convolution", "onnx::ConvTranspose"; not "prims::convert_element_type".
bool is_convolution(std::string_view kind) {
    const auto colons = kind.rfind("::");
    std::string name(colons == std::string_view::npos ? kind : kind.substr(colons + 2));
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    const auto at = name.find("conv");
    return at != std::string::npos && name.compare(at, 7, "convert") != 0;
}

void find_in(const ir::Block& block, std::vector<std::string>& out) {
    for (const ir::Node* node : block.nodes()) {
        if (is_convolution(node->kind().str()) && node->outputs().size() == 1)
            out.push_back(node->output()->debug_name());
        for (std::size_t i = 0; i < node->block_count(); ++i) find_in(*node->block_at(i), out);
    }
}

}  // namespace

std::vector<std::string> graph_convolutions(const StudySubject& subject) {
    std::vector<std::string> out;
    if (!subject.program().is_eager()) find_in(*subject.program().method(subject.method()).graph()->block(), out);
    return out;
}

ConvolutionObserver::ConvolutionObserver(const std::vector<std::string>& names, Made made)
    : names_(names), made_(std::move(made)) {}

void ConvolutionObserver::after_operator(const OperatorCall& call) {
    const bool is_one = call.phase == Phase::Forward && call.site != nullptr && call.site->outputs().size() == 1 &&
                        call.outputs.size() == 1 && call.outputs[0].is_tensor() && is_convolution(call.name);
    if (!is_one) return;
    const std::string name = call.site->output()->debug_name();
    if (std::ranges::find(names_, name) == names_.end()) return;
    const ObserverScope unobserved(nullptr);
    made_(name, call.outputs[0].to_tensor());
}

}  // namespace loupe::session
