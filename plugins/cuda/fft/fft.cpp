// SPDX-License-Identifier: Apache-2.0
// Dimension by dimension: each is moved to the end, where its lines lie one behind the other.
#include "plugins/cuda/fft/fft.h"

#include <cufft.h>

#include <cmath>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

void check_fft(cufftResult status, const char* doing) {
    if (status != CUFFT_SUCCESS)
        throw Error(ErrorKind::Run, concat("CUDA error: cuFFT status ", static_cast<int>(status), " (", doing, ")"));
}

struct PlanKey {
    int device, type;
    std::int64_t length, lines;
    auto operator<=>(const PlanKey&) const = default;
};

// Of `lines` lines that lie one behind the other. Plans are kept, up to a number of them.
cufftHandle plan_for(Device device, cufftType type, std::int64_t length, std::int64_t lines) {
    static std::mutex mutex;
    struct Plan {
        cufftHandle handle = 0;
        bool is_captured = false;  // a graph works in its memory
    };
    static auto* const plans = new std::map<PlanKey, Plan>;
    constexpr std::size_t kMost = 64;
    const std::lock_guard lock(mutex);
    const PlanKey key{device.index, type, length, lines};
    const bool is_captured = capture_of(device) != 0;
    if (const auto found = plans->find(key); found != plans->end()) {
        check_fft(cufftSetStream(found->second.handle, stream_of(device)), "planning a Fourier transform");
        found->second.is_captured = found->second.is_captured || is_captured;
        return found->second.handle;
    }
    if (plans->size() >= kMost && !is_captured) {
        wait_for(queue_of(device));
        std::erase_if(*plans, [](const auto& old) {
            if (!old.second.is_captured) cufftDestroy(old.second.handle);
            return !old.second.is_captured;
        });
    }
    const RelaxedCapture relaxed;
    cufftHandle plan = 0;
    check_fft(cufftCreate(&plan), "a Fourier transform");
    long long size = length;
    std::size_t work = 0;
    check_fft(cufftMakePlanMany64(plan, 1, &size, nullptr, 1, 0, nullptr, 1, 0, type, lines, &work),
              "planning a Fourier transform");
    check_fft(cufftSetStream(plan, stream_of(device)), "planning a Fourier transform");
    return plans->emplace(key, Plan{plan, is_captured}).first->second.handle;
}

Tensor copied(const Tensor& t) {
    const Tensor copy = empty(t.sizes(), t.dtype(), t.device());
    copy_into(copy, t);
    return copy;
}
bool is_wide(const Tensor& t) { return t.dtype() == ScalarType::Float64 || t.dtype() == ScalarType::Complex128; }

// The elements of x, in the order of its dimensions, transformed along `axis`.
Tensor complex_lines(const Tensor& x, std::int64_t axis, bool forward) {
    const Tensor lines = copied(fn::movedim(x, axis, std::int64_t{-1}));
    const std::int64_t length = lines.sizes().back();
    const int direction = forward ? CUFFT_FORWARD : CUFFT_INVERSE;
    const cufftHandle plan = plan_for(x.device(), is_wide(x) ? CUFFT_Z2Z : CUFFT_C2C, length, lines.numel() / length);
    void* const data = lines.address();
    if (is_wide(x))
        check_fft(cufftExecZ2Z(plan, static_cast<cufftDoubleComplex*>(data), static_cast<cufftDoubleComplex*>(data),
                               direction),
                  "a Fourier transform");
    else
        check_fft(cufftExecC2C(plan, static_cast<cufftComplex*>(data), static_cast<cufftComplex*>(data), direction),
                  "a Fourier transform");
    return fn::movedim(lines, std::int64_t{-1}, axis);
}
// [.., n, ..] real to [.., n / 2 + 1, ..].
Tensor real_lines(const Tensor& x, std::int64_t axis) {
    const Tensor lines = copied(fn::movedim(x, axis, std::int64_t{-1}));
    const std::int64_t length = lines.sizes().back();
    Dims sizes = to_dims(lines.sizes());
    sizes.back() = length / 2 + 1;
    const Tensor out = empty(span_of(sizes), is_wide(x) ? ScalarType::Complex128 : ScalarType::Complex64, x.device());
    const cufftHandle plan = plan_for(x.device(), is_wide(x) ? CUFFT_D2Z : CUFFT_R2C, length, lines.numel() / length);
    if (is_wide(x))
        check_fft(
            cufftExecD2Z(plan, static_cast<double*>(lines.address()), static_cast<cufftDoubleComplex*>(out.address())),
            "a Fourier transform");
    else
        check_fft(cufftExecR2C(plan, static_cast<float*>(lines.address()), static_cast<cufftComplex*>(out.address())),
                  "a Fourier transform");
    return fn::movedim(out, std::int64_t{-1}, axis);
}
// [.., n / 2 + 1, ..] complex to [.., n, ..]; the library writes over what it reads.
Tensor to_real_lines(const Tensor& x, std::int64_t axis, std::int64_t length) {
    const Tensor used = fn::narrow(x, axis, std::int64_t{0}, length / 2 + 1);
    const Tensor lines = copied(fn::movedim(used, axis, std::int64_t{-1}));
    Dims sizes = to_dims(lines.sizes());
    sizes.back() = length;
    const Tensor out = empty(span_of(sizes), is_wide(x) ? ScalarType::Float64 : ScalarType::Float32, x.device());
    const cufftHandle plan = plan_for(x.device(), is_wide(x) ? CUFFT_Z2D : CUFFT_C2R, length, out.numel() / length);
    if (is_wide(x))
        check_fft(
            cufftExecZ2D(plan, static_cast<cufftDoubleComplex*>(lines.address()), static_cast<double*>(out.address())),
            "a Fourier transform");
    else
        check_fft(cufftExecC2R(plan, static_cast<cufftComplex*>(lines.address()), static_cast<float*>(out.address())),
                  "a Fourier transform");
    return fn::movedim(out, std::int64_t{-1}, axis);
}

Dims wrapped_dims(const Tensor& t, const Dims& dims) {
    Dims all;
    for (const std::int64_t d : dims) all.push_back(wrap_dim(d, t.dim()));
    return all;
}
// PyTorch's normalization: 0 none, 1 by the root of the points, 2 by the points.
double scale_of(std::int64_t normalization, IntSpan sizes, const Dims& axes) {
    double points = 1;
    for (const std::int64_t axis : axes) points *= static_cast<double>(sizes[static_cast<std::size_t>(axis)]);
    return normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(points) : 1 / points;
}
void deliver(const Tensor& out, const Tensor& result, double scale) {
    copy_into(out, result);
    if (scale == 1) return;
    fn::mul_(is_complex(out.dtype()) ? fn::view_as_real(out) : out, wrapped_number(scale));
}

void c2c(const Tensor& out, const Tensor& self, const Dims& dims, std::int64_t normalization, bool forward) {
    if (out.numel() == 0) return;
    use(out.device());
    Tensor x = self;
    const Dims axes = wrapped_dims(self, dims);
    for (const std::int64_t axis : axes) x = complex_lines(x, axis, forward);
    deliver(out, x, scale_of(normalization, out.sizes(), axes));
}
void r2c(const Tensor& out, const Tensor& self, const Dims& dims, std::int64_t normalization, bool) {
    if (out.numel() == 0) return;
    use(out.device());
    const Dims axes = wrapped_dims(self, dims);
    Tensor x = real_lines(self, axes.back());
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) x = complex_lines(x, axes[i], true);
    deliver(out, x, scale_of(normalization, self.sizes(), axes));
}
void c2r(const Tensor& out, const Tensor& self, const Dims& dims, std::int64_t normalization, std::int64_t length) {
    if (out.numel() == 0) return;
    use(out.device());
    const Dims axes = wrapped_dims(self, dims);
    Tensor x = self;
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) x = complex_lines(x, axes[i], false);
    deliver(out, to_real_lines(x, axes.back(), length), scale_of(normalization, out.sizes(), axes));
}

bool accepts_lines(Arguments a, std::string* why) {
    const Tensor self = a[0].to_tensor();
    const bool is_taken = self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64 ||
                          self.dtype() == ScalarType::Complex64 || self.dtype() == ScalarType::Complex128;
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(self.dtype())) + " input";
    return is_taken;
}
bool accepts_one_side(Arguments a, std::string* why) {
    if (!accepts_lines(a, why)) return false;
    if (!a[3].to_bool() && why != nullptr) *why = "both sides of the spectrum";
    return a[3].to_bool();
}

}  // namespace

void register_fft(const PluginRegistries& registries) {
    registries.add_kernel("aten::_fft_c2c", DeviceType::Cuda, {"cufft", filling<c2c>, accepts_lines});
    registries.add_kernel("aten::_fft_r2c", DeviceType::Cuda, {"cufft", filling<r2c>, accepts_one_side});
    registries.add_kernel("aten::_fft_c2r", DeviceType::Cuda, {"cufft", filling<c2r>, accepts_lines});
}

}  // namespace loupe::cuda
