// SPDX-License-Identifier: Apache-2.0
#include "core/record/gradients.h"

#include <map>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/record/compute_statistics.h"

namespace loupe::session {
namespace {

GradientRow::Role role_of(std::string_view parameter, std::string_view class_name) {
    const auto dot = parameter.rfind('.');
    const std::string_view name = dot == std::string_view::npos ? parameter : parameter.substr(dot + 1);
    if (class_name.find("Norm") != std::string_view::npos) return GradientRow::Role::Normalization;
    return name.find("bias") != std::string_view::npos ? GradientRow::Role::Bias : GradientRow::Role::Weight;
}

std::map<std::string, std::string> classes_by_path(nn::Module& module) {
    std::map<std::string, std::string> classes;
    for (const auto& [path, part] : module.named_modules()) classes.emplace(path, part->class_name());
    return classes;
}

std::optional<double> norm_of(const Statistics& statistics) {
    return statistics.finite ? std::optional(statistics.finite->norm) : std::nullopt;
}

}  // namespace

std::vector<GradientRow> gradient_rows(nn::Module& module, const Recorder* recorder) {
    const auto classes = classes_by_path(module);
    std::vector<GradientRow> rows;
    for (const auto& [name, parameter] : module.named_parameters()) {
        GradientRow row;
        row.parameter = name;
        const auto dot = name.rfind('.');
        row.module = dot == std::string::npos ? "" : name.substr(0, dot);
        const auto found = classes.find(row.module);
        row.role = role_of(name, found == classes.end() ? std::string_view() : found->second);
        row.is_frozen = !requires_grad(parameter);
        row.shape.assign(parameter.sizes().begin(), parameter.sizes().end());
        row.weight_norm = norm_of(compute_statistics(parameter));
        if (const Tensor grad = grad_of(parameter); grad.defined()) row.set_gradient(compute_statistics(grad));
        if (recorder != nullptr) {
            row.event = recorder->accumulated_at(parameter);
            if (row.event != 0) {
                const Event& event = recorder->recording()->event(row.event);
                if (!event.inputs.empty()) row.value = event.inputs.front();
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<GradientRow> gradient_rows_of_roots(const Recorder& recorder) {
    std::vector<GradientRow> all;
    const Recording& recording = *recorder.recording();
    for (const auto& [name, root] : recorder.called_roots()) {
        for (GradientRow& row : gradient_rows(*root, &recorder)) {
            const Value* recorded = row.value != 0 ? &recording.value(row.value) : nullptr;
            if (!row.has_gradient && recorded != nullptr && recorded->statistics)
                row.set_gradient(*recorded->statistics);
            if (!name.empty()) {
                row.parameter = concat(name, ".", row.parameter);
                row.module = row.module.empty() ? name : concat(name, ".", row.module);
            }
            all.push_back(std::move(row));
        }
    }
    return all;
}

}  // namespace loupe::session
