// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/grad_mode.h"

namespace loupe {
namespace {

thread_local bool thread_grad_mode = true;

}  // namespace

bool GradMode::is_enabled() { return thread_grad_mode; }
void GradMode::set_enabled(bool enabled) { thread_grad_mode = enabled; }

}  // namespace loupe
