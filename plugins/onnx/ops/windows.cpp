// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/ops/windows.h"

#include <algorithm>

namespace loupe::onnx {
namespace {

constexpr std::int64_t kMostNumber = 1 << 30;

void check(const Dims& values, std::size_t count, std::int64_t least, const char* what) {
    require(values.size() == count, what, " has ", values.size(), " numbers, ", count, " were expected");
    for (const std::int64_t value : values) require(value >= least && value <= kMostNumber, what, " holds ", value);
}

}  // namespace

Windows windows_of(const WindowAttributes& attributes, IntSpan spatial, const Dims& kernel) {
    const std::size_t count = spatial.size();
    Windows w;
    w.kernel = attributes.kernel && !attributes.kernel->empty() ? *attributes.kernel : kernel;
    w.strides = or_filled(attributes.strides, count, 1);
    w.dilations = or_filled(attributes.dilations, count, 1);
    const Dims pads = or_filled(attributes.pads, 2 * count, 0);
    check(w.kernel, count, 1, "kernel_shape");
    check(w.strides, count, 1, "strides");
    check(w.dilations, count, 1, "dilations");
    check(pads, 2 * count, -kMostNumber, "pads");
    w.begins.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(count));
    w.ends.assign(pads.begin() + static_cast<std::ptrdiff_t>(count), pads.end());
    const bool is_same = attributes.auto_pad == "SAME_UPPER" || attributes.auto_pad == "SAME_LOWER";
    require(is_same || attributes.auto_pad == "VALID" || attributes.auto_pad == "NOTSET" || attributes.auto_pad.empty(),
            "auto_pad is NOTSET, SAME_UPPER, SAME_LOWER or VALID, not ", attributes.auto_pad);
    for (std::size_t d = 0; d < count; ++d) {
        const std::int64_t width = (w.kernel[d] - 1) * w.dilations[d] + 1;
        if (attributes.auto_pad == "VALID") w.begins[d] = w.ends[d] = 0;
        if (is_same) {
            const std::int64_t outputs = (spatial[d] + w.strides[d] - 1) / w.strides[d];
            const std::int64_t all = std::max<std::int64_t>(0, (outputs - 1) * w.strides[d] + width - spatial[d]);
            const std::int64_t less = all / 2;
            w.begins[d] = attributes.auto_pad == "SAME_UPPER" ? less : all - less;
            w.ends[d] = all - w.begins[d];
        }
        const std::int64_t space = spatial[d] + w.begins[d] + w.ends[d] - width;
        require(space >= 0, "windows of ", width, " do not fit into ", spatial[d], " elements with pads of ",
                w.begins[d], " and ", w.ends[d]);
        std::int64_t outputs = space / w.strides[d] + 1;
        // A window that would begin behind the input is left out.
        if (attributes.rounds_up && space % w.strides[d] != 0 && outputs * w.strides[d] < spatial[d] + w.begins[d])
            ++outputs;
        w.outputs.push_back(outputs);
    }
    return w;
}

Tensor padded(const Tensor& x, const Dims& begins, const Dims& ends, double value) {
    Dims pads;
    bool changes = false;
    for (std::size_t d = begins.size(); d-- > 0;) {
        pads.push_back(begins[d]);
        pads.push_back(ends[d]);
        changes = changes || begins[d] != 0 || ends[d] != 0;
    }
    return changes ? fn::constant_pad_nd(x, pads, Scalar(value)) : x;
}

}  // namespace loupe::onnx
