// SPDX-License-Identifier: Apache-2.0
// Products of one or a few rows with weights of each type, as one token of a language model needs them: how fast the
// weights are read, against the speed of copying as many bytes.
//
//     bench_weights [threads] [megabytes of weights]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "core/autograd/grad_mode.h"
#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/tensor/packed.h"

using namespace loupe;

namespace {

constexpr std::int64_t kColumns = 4096, kRows = 4096;
constexpr std::int64_t kInputs[] = {1, 2, 4, 8, 16};

// Best of several, in seconds.
template <typename Work>
double measure(Work&& work) {
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

double copy_speed(std::int64_t bytes) {
    const std::vector<std::int64_t> sizes{bytes};
    const Tensor from = zeros(sizes, ScalarType::UInt8), to = zeros(sizes, ScalarType::UInt8);
    auto* const source = from.data<std::uint8_t>();
    auto* const target = to.data<std::uint8_t>();
    std::memset(source, 1, static_cast<std::size_t>(bytes));
    return static_cast<double>(bytes) / measure([&] {
               parallel_for(0, bytes, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
                   std::memcpy(target + begin, source + begin, static_cast<std::size_t>(end - begin));
               });
           });
}

// Bits that make numbers of ordinary size in every type.
void fill(std::uint8_t* bytes, std::int64_t count) {
    std::mt19937 generator(1);
    for (std::int64_t i = 0; i + 1 < count; i += 2) {
        const auto drawn = generator();
        bytes[i] = static_cast<std::uint8_t>(drawn);
        bytes[i + 1] = static_cast<std::uint8_t>((drawn >> 8 & 0x83) | 0x2C);
    }
}

TensorList packed_weights(const GgmlType& type, std::int64_t count) {
    TensorList out;
    for (std::int64_t i = 0; i < count; ++i) {
        const Tensor bytes =
            empty(std::vector<std::int64_t>{kRows, kColumns / type.elements * type.bytes}, ScalarType::UInt8);
        fill(bytes.data<std::uint8_t>(), bytes.numel());
        out.push_back(make_packed(type, bytes));
    }
    return out;
}

TensorList plain_weights(ScalarType dtype, std::int64_t count) {
    Random random(1);
    const Tensor drawn = random_tensor(random, {kRows, kColumns}, ScalarType::Float32);
    TensorList out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(fn::to_copy(drawn, IValue(static_cast<std::int64_t>(dtype)), IValue(), IValue(), IValue(), false,
                                  IValue()));
    return out;
}

void report(const char* name, std::int64_t rows, const TensorList& weights, double bytes_of_one, ScalarType dtype,
            double copied) {
    Random random(2);
    const Tensor x =
        fn::to_dtype(random_tensor(random, {rows, kColumns}, ScalarType::Float32), static_cast<std::int64_t>(dtype));
    const double seconds = measure([&] {
        for (const Tensor& weight : weights) fn::linear(x, weight, IValue());
    });
    const double speed = bytes_of_one * static_cast<double>(weights.size()) / seconds;
    std::printf("%-10s %6lld rows  %7.2f GB/s  %4.0f %% of a copy\n", name, static_cast<long long>(rows), speed * 1e-9,
                100 * speed / copied);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    set_thread_count(count > 1 ? std::atoi(arguments[1]) : 0);
    const std::int64_t bytes = (count > 2 ? std::atoll(arguments[2]) : 512) << 20;
    const GradModeScope no_grad(false);
    const double copied = copy_speed(bytes);
    std::printf("%d threads; a copy: %.2f GB/s\n", thread_count(), copied * 1e-9);
    for (const std::uint32_t number : {2U, 8U, 12U, 13U, 14U, 1U, 30U}) {
        const GgmlType& type = *ggml_type(number);
        const double one = static_cast<double>(kRows * kColumns / type.elements * type.bytes);
        const TensorList weights = packed_weights(
            type, std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(bytes) / one)));
        for (const std::int64_t rows : kInputs)
            report(type.name.data(), rows, weights, one, ScalarType::Float32, copied);
    }
    for (const ScalarType dtype : {ScalarType::BFloat16, ScalarType::Float16, ScalarType::Float32}) {
        const std::int64_t one = kRows * kColumns * element_size(dtype);
        const TensorList weights = plain_weights(dtype, std::max<std::int64_t>(1, bytes / one));
        for (const std::int64_t rows : kInputs)
            report(std::string(dtype_name(dtype)).c_str(), rows, weights, static_cast<double>(one), dtype, copied);
    }
    return 0;
}
