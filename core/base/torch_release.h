// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which PyTorch's numbers and printed forms are given where 2.15 differs from 1.13. Of the whole process; it is set
// before a model is opened.

#include <optional>
#include <string_view>

namespace loupe {

enum class TorchRelease { V1_13, V2_15 };

TorchRelease torch_release();
void set_torch_release(TorchRelease release);
// "1.13" or "2.15"; nullopt for others.
std::optional<TorchRelease> torch_release_named(std::string_view text);

inline bool is_older_torch() { return torch_release() == TorchRelease::V1_13; }

class TorchReleaseScope {
  public:
    explicit TorchReleaseScope(TorchRelease release) : before_(torch_release()) { set_torch_release(release); }
    TorchReleaseScope(const TorchReleaseScope&) = delete;
    TorchReleaseScope& operator=(const TorchReleaseScope&) = delete;
    ~TorchReleaseScope() { set_torch_release(before_); }

  private:
    TorchRelease before_;
};

}  // namespace loupe
