// SPDX-License-Identifier: Apache-2.0
#include "core/session/settings.h"

#include <system_error>
#include <utility>

namespace loupe::session {
namespace {

std::string key_of(const std::filesystem::path& source) {
    std::error_code failed;  // of a path that is empty
    const std::filesystem::path whole = std::filesystem::absolute(source, failed);
    return (failed ? source : whole).lexically_normal().string();
}

}  // namespace

std::vector<InputSpec> Settings::inputs() const {
    const std::lock_guard lock(mutex_);
    return inputs_;
}
void Settings::set_inputs(std::vector<InputSpec> inputs) {
    const std::lock_guard lock(mutex_);
    inputs_ = std::move(inputs);
}
RunOptions Settings::options() const {
    const std::lock_guard lock(mutex_);
    return options_;
}
void Settings::set_options(RunOptions options) {
    const std::lock_guard lock(mutex_);
    options_ = std::move(options);
}
void Settings::set(std::vector<InputSpec> inputs, RunOptions options) {
    const std::lock_guard lock(mutex_);
    inputs_ = std::move(inputs);
    options_ = std::move(options);
}

void Settings::permit(const std::filesystem::path& source, const FilePermissions& permissions) {
    const std::lock_guard lock(mutex_);
    permissions_[key_of(source)] = permissions;
}
FilePermissions Settings::permissions_of(const std::filesystem::path& source) const {
    const std::lock_guard lock(mutex_);
    const auto found = permissions_.find(key_of(source));
    return found == permissions_.end() ? FilePermissions() : found->second;
}

void Settings::set_release(const std::filesystem::path& source, TorchRelease release) {
    const std::lock_guard lock(mutex_);
    releases_[key_of(source)] = release;
}
std::optional<TorchRelease> Settings::release_of(const std::filesystem::path& source) const {
    const std::lock_guard lock(mutex_);
    const auto found = releases_.find(key_of(source));
    return found == releases_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace loupe::session
