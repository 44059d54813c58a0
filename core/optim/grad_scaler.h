// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradient scaling for half precision: the loss is multiplied so that small gradients do not vanish; a step whose
// gradients are not finite is left out and the scale falls; torch.cuda.amp.GradScaler. Works on any device.
//
//     backward({scaler.scale(loss)}); scaler.step(*optimizer); scaler.update();

#include <map>
#include <optional>

#include "core/optim/optimizer.h"

namespace loupe::optim {

struct GradScalerOptions {
    double init_scale = 65536;
    double growth_factor = 2;
    double backoff_factor = 0.5;
    std::int64_t growth_interval = 2000;  // steps without an infinity until the scale grows
    bool enabled = true;                  // false: every function has no effect
};

class GradScaler final : public RefCounted {
  public:
    // Throws TypedError (AssertionError) "The growth factor must be > 1.0." and similar.
    explicit GradScaler(const GradScalerOptions& options = {});

    bool is_enabled() const { return options_.enabled; }
    // outputs times the scale: a tensor, or a list or tuple of them. Throws TypedError (ValueError) for others.
    IValue scale(const IValue& outputs);
    // Divides the gradients of the optimiser's parameters by the scale, for reading them before step(). Throws Error
    // (Run) on a second call, TypedError (ValueError) for float16 gradients.
    void unscale_(Optimizer& optimizer);
    // unscale_ unless it was called; then the optimiser's step, unless a gradient is not finite. Returns its result,
    // else None.
    IValue step(Optimizer& optimizer);
    // At the end of each iteration; or sets the scale.
    void update(std::optional<double> new_scale = {});

    double current_scale() const { return options_.enabled ? scale_ : 1.0; }  // get_scale()
    std::int64_t growth_tracker() const { return growth_tracker_; }
    GradScalerOptions& options() { return options_; }
    // {"scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"}; empty when it is not enabled.
    IValue state_dict() const;
    void load_state_dict(const IValue& state);

  private:
    enum class Stage { Ready, Unscaled, Stepped };
    struct OptimizerState {
        Stage stage = Stage::Ready;
        bool is_checked = false;
        bool found_infinity = false;
    };
    void check_scaled(std::string_view function) const;
    Tensor scaled(const Tensor& t);

    GradScalerOptions options_;
    double scale_;
    std::int64_t growth_tracker_ = 0;
    bool has_scaled_ = false;
    std::map<const Optimizer*, OptimizerState> states_;
};

}  // namespace loupe::optim
