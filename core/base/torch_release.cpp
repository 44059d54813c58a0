// SPDX-License-Identifier: Apache-2.0
#include "core/base/torch_release.h"

#include <atomic>

namespace loupe {
namespace {

std::atomic<TorchRelease> chosen{TorchRelease::V2_15};

}  // namespace

TorchRelease torch_release() { return chosen.load(std::memory_order_relaxed); }
void set_torch_release(TorchRelease release) { chosen.store(release, std::memory_order_relaxed); }

std::optional<TorchRelease> torch_release_named(std::string_view text) {
    if (text == "1.13") return TorchRelease::V1_13;
    if (text == "2.15") return TorchRelease::V2_15;
    return std::nullopt;
}

}  // namespace loupe
