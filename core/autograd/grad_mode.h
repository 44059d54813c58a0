// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether operators record for the backward pass; torch.no_grad and torch.enable_grad. Per thread.

namespace loupe {

struct GradMode {
    static bool is_enabled();
    static void set_enabled(bool enabled);
};

class GradModeScope {
  public:
    explicit GradModeScope(bool enabled) : before_(GradMode::is_enabled()) { GradMode::set_enabled(enabled); }
    GradModeScope(const GradModeScope&) = delete;
    GradModeScope& operator=(const GradModeScope&) = delete;
    ~GradModeScope() { GradMode::set_enabled(before_); }

  private:
    bool before_;
};

}  // namespace loupe
