// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/fuser.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/strings.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/fuser/code.h"
#include "plugins/cuda/fuser/formulas.h"
#include "plugins/cuda/fuser/launch.h"
#include "plugins/cuda/fuser/module.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

using runtime::DeviceFusedKernel;
using runtime::FusedExpression;
using runtime::FusedKernelText;
using runtime::FusedSpace;

int architecture_of(Device device) {
    static std::mutex mutex;
    static std::map<int, int> known;
    const std::scoped_lock lock(mutex);
    int& architecture = known[device.index];
    if (architecture == 0) {
        const DeviceProperties properties = device_interface(device.type)->properties(device);
        architecture = properties.major * 10 + properties.minor;
    }
    return architecture;
}

// A text with its machine code.
class Variant {
  public:
    Variant(FusedSource source, int architecture) : source_(std::move(source)), architecture_(architecture) {
        const auto begin = std::chrono::steady_clock::now();
        code_ = compiled_code(source_.text, architecture, &from_disk_);
        seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    const FusedSource& source() const { return source_; }

    void launch(const FusedSpace& space, std::span<std::byte* const> arrays, Device device) const {
        const std::size_t bytes = scratch_bytes(source_, space);
        auto* const scratch = static_cast<std::byte*>(bytes > 0 ? scratch_of(device, bytes) : nullptr);
        const CodeModule& module = module_on(device);
        for (const FusedLaunch& launch : launches_of(source_, space, arrays, scratch)) module.launch(launch);
    }

    FusedKernelText text(const FusedExpression& expression) const {
        const PtxListing ptx = list_ptx(code_.ptx, source_.line_of);
        FusedKernelText text{"cuda", expression.str(), {}, source_.text, ptx.text, seconds_, from_disk_, "CUDA C++"};
        text.ir_of = source_.line_of;
        text.assembly_of = ptx.line_of;
        KernelResources resources = resources_in(code_.log, "fused_loop");
        int blocks = blocks_at_once(architecture_, resources, source_.block);
        const std::scoped_lock lock(mutex_);
        if (!modules_.empty()) {
            const CodeModule& module = *modules_.begin()->second;
            resources = module.resources("fused_loop");
            blocks = module.blocks_at_once("fused_loop", source_.block);
        }
        text.resources = resources_text(architecture_, resources, source_.block, blocks);
        return text;
    }

  private:
    const CodeModule& module_on(Device device) const {
        const std::scoped_lock lock(mutex_);
        std::unique_ptr<const CodeModule>& module = modules_[device.index];
        const RelaxedCapture relaxed;
        if (!module) module = std::make_unique<CodeModule>(code_.cubin, device);
        return *module;
    }

    FusedSource source_;
    int architecture_;
    CompiledCode code_;
    double seconds_ = 0;
    bool from_disk_ = false;
    mutable std::mutex mutex_;
    mutable std::map<int, std::unique_ptr<const CodeModule>> modules_;  // by device
};

class CudaKernel final : public DeviceFusedKernel {
  public:
    CudaKernel(const FusedExpression& expression, FusedSource source, int architecture)
        : expression_(expression), wide_(std::move(source), architecture), architecture_(architecture) {}

    void launch(const FusedSpace& space, std::span<std::byte* const> arrays, Device device) const override {
        const bool is_wide = fits_width(wide_.source(), space, arrays);
        (is_wide ? wide_ : narrow(space)).launch(space, arrays, device);
    }
    FusedKernelText text() const override { return wide_.text(expression_); }

  private:
    // For arrays that begin anywhere.
    const Variant& narrow(const FusedSpace& space) const {
        const std::scoped_lock lock(mutex_);
        if (!narrow_) narrow_ = std::make_unique<Variant>(make_source(expression_, space, false), architecture_);
        return *narrow_;
    }

    FusedExpression expression_;
    Variant wide_;
    int architecture_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<Variant> narrow_;
};

// A row is one block's at most; operators share long ones among many.
std::string too_few_rows(const FusedExpression& expression, const FusedSpace& space) {
    constexpr std::int64_t kMuch = std::int64_t{1} << 20, kFew = 32;
    if (!expression.is_of_rows() || space.outer_count() >= kFew) return {};
    if (space.outer_count() * space.inner_count() <= kMuch) return {};
    return concat(space.outer_count(), " rows of ", space.inner_count(), " elements are too few to share");
}

Ptr<const DeviceFusedKernel> compile(const FusedExpression& expression, const FusedSpace& space, Device device,
                                     std::string* why) {
    constexpr std::size_t kMostKernels = 512;
    static std::mutex mutex;
    static auto* const kernels = new std::map<std::string, Ptr<const CudaKernel>>;
    std::string reason = refusal(expression);
    if (reason.empty()) reason = too_few_rows(expression, space);
    if (!reason.empty()) {
        *why = std::move(reason);
        return nullptr;
    }
    FusedSource source = make_source(expression, space, true);
    const int architecture = architecture_of(device);
    const std::string key = concat(architecture, " ", source.text);
    const std::scoped_lock lock(mutex);
    if (const auto found = kernels->find(key); found != kernels->end()) return found->second;
    if (kernels->size() >= kMostKernels) kernels->clear();
    return (*kernels)[key] = make_ptr<CudaKernel>(expression, std::move(source), architecture);
}

}  // namespace

runtime::FuserBackend make_fuser() { return {"cuda", nullptr, DeviceType::Cuda, &compile}; }

}  // namespace loupe::cuda
