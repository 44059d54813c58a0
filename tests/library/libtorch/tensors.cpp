// SPDX-License-Identifier: Apache-2.0
// Tensors as programs of LibTorch use them: made, indexed, printed, differentiated, saved.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

static void making() {
    torch::manual_seed(1);
    std::cout << torch::rand({2, 3}) << '\n' << torch::randn({4}) << '\n';
    std::cout << torch::zeros({2, 2}, torch::kInt64) << '\n' << torch::full({3}, 1.5) << '\n';
    std::cout << torch::arange(5) << '\n' << torch::arange(1, 10, 2) << '\n' << torch::linspace(0, 1, 5) << '\n';
    std::cout << torch::tensor({{1, 2}, {3, 4}}) << '\n'
              << torch::tensor({1.5, 2.5}, torch::dtype(torch::kFloat64)) << '\n';
    std::cout << torch::tensor(3.25) << '\n' << torch::tensor({true, false}) << '\n';
    std::cout << torch::tensor(std::vector<float>{0.001f, 1000.0f, -3.0f}) << '\n';
    std::cout << torch::eye(3) << '\n' << torch::randint(0, 10, {2, 4}) << '\n' << torch::randperm(6) << '\n';
    auto options = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCPU).requires_grad(true);
    auto t = torch::ones({2, 2}, options);
    std::cout << t.requires_grad() << ' ' << t.dtype() << ' ' << t.scalar_type() << ' ' << t.device() << ' '
              << t.layout() << '\n';
    std::cout << torch::empty({0}) << '\n' << torch::Tensor() << '\n' << torch::zeros({2, 0}) << '\n';
    std::cout << torch::rand({2, 2, 3}) << '\n';
    std::cout << torch::arange(40).reshape({2, 20}) * 1000 << '\n';
    for (auto type : {torch::kByte, torch::kInt, torch::kLong, torch::kHalf, torch::kDouble, torch::kBool})
        std::cout << torch::ones({1}, type).dtype() << ' ' << type << ' ' << torch::elementSize(type) << '\n';
}

static void indexing() {
    auto x = torch::arange(24).view({2, 3, 4});
    std::cout << x.index({0, Slice(), Slice(None, None, 2)}) << '\n' << x.index({Ellipsis, -1}) << '\n';
    std::cout << x.index({1, torch::tensor({0, 2})}) << '\n'
              << x.index({x > 20}) << '\n'
              << x.index({None, 0, 0}) << '\n';
    x.index_put_({0, 0, Slice(1, 3)}, -1);
    x[1][2][3] = 100;
    x[0][1] = torch::zeros({4}, torch::kLong);
    std::cout << x << '\n'
              << x.slice(2, 1, 4, 2) << '\n'
              << x.select(1, 1) << '\n'
              << x.narrow(0, 1, 1).sizes() << '\n';
    std::cout << x.strides() << ' ' << x.transpose(0, 2).is_contiguous() << ' ' << x.numel() << ' ' << x.dim() << '\n';
    auto parts = x.split(2, 1);
    std::cout << parts.size() << ' ' << parts[1].sizes() << '\n';
    try {
        x.index({5});
    } catch (const c10::Error& e) {
        std::cout << e.what_without_backtrace() << '\n';
    }
    try {
        x.data_ptr<float>();
    } catch (const c10::Error& e) {
        std::cout << e.msg() << '\n';
    }
}

static void arithmetic() {
    auto a = torch::tensor({{1.0, 2.0}, {3.0, 4.0}});
    auto b = torch::tensor({{0.5, -1.0}, {2.0, 0.0}});
    std::cout << a + b << '\n' << a - 1 << '\n' << 2 * a / b << '\n' << 1 - a << '\n' << -a << '\n' << (a > b) << '\n';
    std::cout << a.matmul(b) << '\n' << torch::mm(a, b.t()) << '\n' << torch::einsum("ij,jk->ik", {a, b}) << '\n';
    a += b;
    a *= 0.5;
    std::cout << a << '\n' << a.sum(0) << '\n' << a.mean({0, 1}, true) << '\n' << a.std() << '\n' << a.var(1) << '\n';
    std::cout << torch::relu(b) << '\n'
              << torch::where(b > 0, a, b) << '\n'
              << b.clamp(0, 1) << '\n'
              << b.clamp_min(0.25) << '\n';
    std::cout << torch::stack({a, b}, 1).sizes() << ' ' << torch::cat({a, b}, 1) << '\n';
    std::cout << a.norm().item<double>() << ' ' << a.max().item<float>() << ' ' << b.abs().min() << '\n';
    std::cout << torch::allclose(a, a.clone()) << ' ' << torch::equal(a, b) << '\n';
    auto [sorted, order] = torch::sort(b.flatten(), /*dim=*/0, /*descending=*/true);
    std::cout << sorted << '\n' << order << '\n' << torch::one_hot(order, 4) << '\n';
    std::cout << (torch::arange(6) % 4) << '\n' << torch::pow(a, 2) << '\n' << a.to(torch::kInt) << '\n';
}

static void gradients() {
    auto w = torch::tensor({1.0, -2.0, 3.0}, torch::requires_grad());
    auto x = torch::tensor({0.5, 0.25, 2.0});
    auto loss = (w * x).pow(2).sum();
    loss.backward();
    std::cout << loss.item<float>() << '\n' << w.grad() << '\n';
    {
        torch::NoGradGuard guard;
        w -= 0.1 * w.grad();
        w.grad().zero_();
    }
    std::cout << w << '\n' << (w * 2).requires_grad() << ' ' << w.detach().requires_grad() << '\n';
    auto y = torch::sin(w).sum();
    auto first = torch::autograd::grad({y}, {w}, {}, true, true)[0];
    auto second = torch::autograd::grad({first.sum()}, {w})[0];
    std::cout << first << '\n' << second << '\n';
    try {
        (w * 2).backward();
    } catch (const c10::Error& e) {
        std::cout << e.what_without_backtrace() << '\n';
    }
}

static void memory() {
    float data[] = {1, 2, 3, 4, 5, 6};
    auto t = torch::from_blob(data, {2, 3});
    data[4] = 50;
    auto rows = t.accessor<float, 2>();
    float sum = 0;
    for (int64_t i = 0; i < rows.size(0); ++i)
        for (int64_t j = 0; j < rows.size(1); ++j) sum += rows[i][j];
    std::cout << t << '\n' << sum << ' ' << t.data_ptr<float>()[4] << ' ' << t.nbytes() << '\n';
    int freed = 0;
    {
        auto owned = torch::from_blob(
            data, {3}, [&freed](void*) { ++freed; }, torch::kFloat32);
        std::cout << owned.sum().item<float>() << ' ' << freed << '\n';
    }
    std::cout << freed << '\n';
    torch::save(t, "tensor.pt");
    torch::Tensor back;
    torch::load(back, "tensor.pt");
    std::cout << back << '\n';
    std::vector<torch::Tensor> several{torch::arange(3), torch::ones({2})}, again;
    torch::save(several, "tensors.pt");
    torch::load(again, "tensors.pt");
    std::cout << again.size() << ' ' << again[0] << '\n';
    auto bytes = torch::pickle_save(torch::IValue(torch::arange(4)));
    std::cout << torch::pickle_load(bytes).toTensor() << '\n';
}

int main(int, const char**) {
    making();
    indexing();
    arithmetic();
    gradients();
    memory();
    return 0;
}
