// SPDX-License-Identifier: Apache-2.0
// Options of tensors, devices, indices, threads, transforms of Fourier and special functions, as programs use them.
#include <torch/torch.h>

#include <ATen/Parallel.h>

#include <iostream>
#include <vector>

using namespace torch::indexing;

int main() {
    std::cout << torch::TensorOptions() << '\n'
              << torch::dtype(torch::kInt32).device(torch::kCPU).requires_grad(false) << '\n'
              << torch::ones({2}, torch::kDouble).options() << '\n';
    auto options = torch::TensorOptions().dtype(torch::kFloat64).layout(torch::kStrided).requires_grad(true);
    auto x = torch::full({3, 4}, 1.5, options);
    std::cout << x.dtype() << ' ' << x.requires_grad() << ' ' << x.device() << ' ' << x.layout() << '\n';
    torch::Device device("cpu");
    std::cout << device << ' ' << (device == torch::kCPU) << ' ' << device.is_cpu() << ' ' << device.has_index() << ' '
              << torch::Device(torch::kCUDA, 1) << ' ' << static_cast<int>(torch::Device("cuda:0").index()) << '\n';
    std::cout << torch::mps::is_available() << ' ' << (torch::cuda::device_count() > 0 ? "" : "no ") << "gpu\n";

    auto t = torch::arange(24).view({2, 3, 4});
    std::cout << t.index({0}) << '\n'
              << t.index({Slice(), 1}) << '\n'
              << t.index({Ellipsis, Slice(None, None, 2)}) << '\n'
              << t.index({"...", -1}) << '\n'
              << t.index({torch::tensor({1, 0}), None, Slice(1)}).sizes() << '\n'
              << t.index({t > 20}) << '\n';
    t.index_put_({0, Slice(0, 2), 0}, 100);
    t.index_put_({1, 2}, torch::zeros({4}, torch::kLong));
    t[0][0][1] = -1;
    std::cout << t << '\n';

    std::vector<int64_t> squares(100);
    at::parallel_for(0, 100, 10, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) squares[static_cast<size_t>(i)] = i * i;
    });
    std::cout << squares[99] << ' '
              << at::parallel_reduce(
                     0, 100, 10, int64_t{0},
                     [&](int64_t begin, int64_t end, int64_t sum) {
                         for (int64_t i = begin; i < end; ++i) sum += squares[static_cast<size_t>(i)];
                         return sum;
                     },
                     [](int64_t a, int64_t b) { return a + b; })
              << '\n';
    torch::set_num_threads(1);
    std::cout << torch::get_num_threads() << '\n';

    const auto signal = torch::cos(torch::arange(8) * 0.25 * 3.14159265);
    std::cout << (torch::fft::rfft(signal).abs() * 100).round() << '\n'
              << torch::fft::irfft(torch::fft::rfft(signal), 8).sizes() << '\n'
              << torch::special::erf(torch::tensor({0.5, -1.0})) << '\n';

    std::cout << torch::tensor({{1, 2}, {3, 4}}).dtype() << ' ' << torch::tensor({1.5}).dtype() << ' '
              << torch::tensor(std::vector<double>{1, 2}).dtype() << ' '
              << torch::tensor({1, 2}, torch::dtype(torch::kHalf)).dtype() << '\n';
    std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    auto blob = torch::from_blob(numbers.data(), {2, 3}, torch::kFloat32).clone();
    auto access = blob.accessor<float, 2>();
    float sum = 0;
    for (int64_t i = 0; i < access.size(0); ++i)
        for (int64_t j = 0; j < access.size(1); ++j) sum += access[i][j];
    std::cout << sum << ' ' << blob.data_ptr<float>()[4] << ' ' << blob.is_contiguous() << ' '
              << blob.t().is_contiguous() << ' ' << blob.strides() << '\n';
    {
        torch::NoGradGuard no_grad;
        std::cout << (x * 2).requires_grad() << ' ' << torch::GradMode::is_enabled() << '\n';
        torch::AutoGradMode on(true);
        std::cout << (x * 2).requires_grad() << '\n';
    }
    std::cout << torch::equal(blob, blob.clone()) << ' ' << torch::allclose(blob, blob + 1e-9) << ' '
              << blob.sizes().vec().size() << ' ' << (blob.sizes() == torch::IntArrayRef{2, 3}) << '\n';
    auto [values, indices] = blob.max(1);
    std::cout << values << '\n' << indices << '\n' << std::get<0>(torch::sort(blob, 1, true)) << '\n';
    std::cout << TORCH_VERSION_MAJOR << '\n';
    return 0;
}
