// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scopes: no gradients, with gradients, inference.

#include "core/autograd/grad_mode.h"

namespace at {

struct GradMode : loupe::GradMode {};
struct AutoGradMode {
    explicit AutoGradMode(bool enabled) : scope(enabled) {}
    loupe::GradModeScope scope;
};
struct NoGradGuard : AutoGradMode {
    NoGradGuard() : AutoGradMode(false) {}
};

}  // namespace at

namespace c10 {
using at::AutoGradMode;
using at::GradMode;
using at::NoGradGuard;
// Records nothing for backward.
struct InferenceMode : AutoGradMode {
    explicit InferenceMode(bool enabled = true)
        : AutoGradMode(!enabled && loupe::GradMode::is_enabled()), before_(is_enabled_) {
        is_enabled_ = enabled;
    }
    InferenceMode(const InferenceMode&) = delete;
    InferenceMode& operator=(const InferenceMode&) = delete;
    ~InferenceMode() { is_enabled_ = before_; }
    static bool is_enabled() { return is_enabled_; }

  private:
    static inline thread_local bool is_enabled_ = false;
    bool before_;
};
}  // namespace c10

namespace torch {
using at::AutoGradMode;
using at::GradMode;
using at::NoGradGuard;
using c10::InferenceMode;
}  // namespace torch
