// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/blur.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/cancel.h"
#include "core/dispatch/functions.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

// Of -radius .. radius; sums to 1.
std::vector<double> gaussian(std::int64_t radius, double deviation) {
    std::vector<double> out;
    double sum = 0;
    for (std::int64_t i = -radius; i <= radius; ++i) {
        const double z = static_cast<double>(i) / deviation;
        out.push_back(std::exp(-z * z / 2));
        sum += out.back();
    }
    for (double& each : out) each /= sum;
    return out;
}

std::int64_t mirrored(std::int64_t at, std::int64_t size) {
    if (at < 0) at = -at;
    if (at >= size) at = 2 * (size - 1) - at;
    return at;
}

// Along lines of `size` elements, `step` apart.
void blur_line(float* line, std::int64_t size, std::int64_t step, double deviation, std::vector<float>& scratch) {
    const std::int64_t radius = std::min(size - 1, static_cast<std::int64_t>(std::lround(3 * deviation)));
    const std::vector<double> kernel = gaussian(radius, deviation);
    scratch.resize(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
        double sum = 0;
        for (std::int64_t k = -radius; k <= radius; ++k)
            sum +=
                kernel[static_cast<std::size_t>(k + radius)] * static_cast<double>(line[mirrored(i + k, size) * step]);
        scratch[static_cast<std::size_t>(i)] = static_cast<float>(sum);
    }
    for (std::int64_t i = 0; i < size; ++i) line[i * step] = scratch[static_cast<std::size_t>(i)];
}

}  // namespace

Tensor blurred(const Tensor& image, double deviation) {
    const Tensor own =
        fn::clone(fn::contiguous(on_host(fn::to_dtype(image, static_cast<std::int64_t>(ScalarType::Float32))), 0), 0);
    const std::int64_t rows = own.size(-2), columns = own.size(-1);
    const std::int64_t planes = own.numel() / std::max<std::int64_t>(1, rows * columns);
    std::vector<float> scratch;
    for (std::int64_t p = 0; p < planes; ++p) {
        check_cancelled();
        float* plane = own.data<float>() + p * rows * columns;
        for (std::int64_t i = 0; i < rows; ++i) blur_line(plane + i * columns, columns, 1, deviation, scratch);
        for (std::int64_t j = 0; j < columns; ++j) blur_line(plane + j, rows, columns, deviation, scratch);
    }
    const Tensor out = empty_like(image);
    fn::copy_(out, own);
    return out;
}

}  // namespace loupe::session
