// SPDX-License-Identifier: Apache-2.0
#pragma once
// One parameter's gradients after a backward, as values.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/fields.h"
#include "core/record/recording.h"
#include "core/record/statistics.h"

namespace loupe::session {

struct GradientRow {
    std::string parameter;
    std::string module;
    Shape shape;
    enum class Role : std::uint8_t { Weight, Bias, Normalization };  // of its module
    Role role = Role::Weight;
    bool is_frozen = false;     // requires_grad is False
    bool has_gradient = false;  // false: unused in this run, or frozen
    struct Magnitudes {
        double mean_abs = 0;
        double max_abs = 0;
        double norm = 0;
    };
    std::optional<Magnitudes> finite;   // of the finite elements of the gradient; nullopt: there are none
    std::optional<double> weight_norm;  // of the parameter's finite elements; nullopt: there are none
    double zero_fraction = 0;
    std::int64_t nan_count = 0;
    std::int64_t inf_count = 0;
    EventId event = 0;  // that accumulated it
    ValueId value = 0;

    void set_gradient(const Statistics& gradient);
    std::int64_t count() const;  // elements
    bool has_nan_or_inf() const { return nan_count > 0 || inf_count > 0; }
    // What `finite` is of: see finite_share_text.
    std::string finite_share_text() const;
    // Norm of the gradient to that of the weights; nullopt for biases and normalisations, whose weights say nothing of
    // scale, and where either has no finite element or the weights are zero.
    std::optional<double> weight_ratio() const;
};
constexpr GradientRow::Role last_of(GradientRow::Role) { return GradientRow::Role::Normalization; }
auto fields(Like<GradientRow::Magnitudes> auto& it) { return std::tie(it.mean_abs, it.max_abs, it.norm); }
auto fields(Like<GradientRow> auto& it) {
    return std::tie(it.parameter, it.module, it.shape, it.role, it.is_frozen, it.has_gradient, it.finite,
                    it.weight_norm, it.zero_fraction, it.nan_count, it.inf_count, it.event, it.value);
}

}  // namespace loupe::session
