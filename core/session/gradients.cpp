// SPDX-License-Identifier: Apache-2.0
#include "core/session/gradients.h"

#include "core/autograd/variable.h"
#include "core/session/compute_statistics.h"

namespace loupe::session {

std::vector<GradientRow> gradient_rows(const nn::Module& module, const Recorder* recorder) {
    std::vector<GradientRow> rows;
    for (const auto& [name, parameter] : module.named_parameters()) {
        GradientRow row;
        row.parameter = name;
        const auto dot = name.rfind('.');
        row.module = dot == std::string::npos ? "" : name.substr(0, dot);
        row.shape.assign(parameter.sizes().begin(), parameter.sizes().end());
        row.weight_norm = compute_statistics(parameter).norm;
        if (const Tensor grad = grad_of(parameter); grad.defined()) {
            const Statistics statistics = compute_statistics(grad);
            row.has_gradient = true;
            row.mean_abs = statistics.abs_mean;
            row.max_abs = statistics.abs_max;
            row.norm = statistics.norm;
            row.zero_fraction = statistics.count > 0 ? static_cast<double>(statistics.zero_count) / static_cast<double>(statistics.count) : 0;
            row.nan_count = statistics.nan_count;
            row.inf_count = statistics.inf_count;
        }
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

}  // namespace loupe::session
