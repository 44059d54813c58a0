// SPDX-License-Identifier: Apache-2.0
// Matrix products. Three ways, by what was measured (tests/bench/onednn_bench.cpp):
// - sgemm, made for the machine's instructions at run time, for most;
// - the matmul primitive for a few rows and more by a transposed matrix, x W^T, where sgemm is up to seven times
// slower, with the
//   bias of a layer in the same pass, and for gradients of weights with far more rows than columns;
// - the same with W packed, for a linear layer that is not being trained: kept from call to call.
#include "core/autograd/variable.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/matrix/layout.h"
#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {
namespace {

struct ProductPlan {
    dnnl::matmul::primitive_desc descriptor;
    dnnl::matmul primitive;

    ProductPlan(const Layout& a, const Layout& b, const Layout& bias, const Layout& c, float beta)
        : descriptor(matmul(engine(), a, b, bias, c, beta)), primitive(descriptor) {}
};

PlanCache<ProductPlan>& product_plans() {
    static auto* cache = new PlanCache<ProductPlan>;
    return *cache;
}

Layout matrix_layout(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
    return {{rows, columns}, Memory::data_type::f32, {row_stride, column_stride}};
}

// c = op(a) op(b) (+ bias, a row) + beta c.
struct Product {
    bool transpose_a, transpose_b;
    std::int64_t m, n, k;
    const float* a;
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    float beta;
    float* c;
    std::int64_t ldc;
    const float* bias = nullptr;
};

void run(const Product& p) {
    const Layout a = p.transpose_a ? matrix_layout(p.m, p.k, 1, p.lda) : matrix_layout(p.m, p.k, p.lda, 1);
    const Layout b = p.transpose_b ? matrix_layout(p.k, p.n, 1, p.ldb) : matrix_layout(p.k, p.n, p.ldb, 1);
    const Layout c = matrix_layout(p.m, p.n, p.ldc, 1);
    const Layout row = p.bias != nullptr ? matrix_layout(1, p.n, p.n, 1) : Layout();
    Key key;
    key.add(std::int64_t{p.transpose_a ? 2 : 3}).add(std::int64_t{p.transpose_b}).add(std::int64_t{p.bias != nullptr});
    key.add(p.m).add(p.n).add(p.k).add(p.lda).add(p.ldb).add(p.ldc).add(static_cast<double>(p.beta));
    const ProductPlan& plan = product_plans().get(key, [&] { return ProductPlan(a, b, row, c, p.beta); });
    std::unordered_map<int, Memory> arguments{{DNNL_ARG_SRC, memory_at(a, const_cast<float*>(p.a))},
                                              {DNNL_ARG_WEIGHTS, memory_at(b, const_cast<float*>(p.b))},
                                              {DNNL_ARG_DST, memory_at(c, p.c)}};
    if (p.bias != nullptr) arguments.emplace(DNNL_ARG_BIAS, memory_at(row, const_cast<float*>(p.bias)));
    execute(plan.primitive, std::move(arguments), plan.descriptor.scratchpad_desc());
}

constexpr std::int64_t kFewestRows = 16;             // below, sgemm reads a transposed matrix as fast
constexpr std::int64_t kSmallestMatrix = 128 * 128;  // below, looking up the primitive costs more than it saves
constexpr std::int64_t kFewestColumns =
    64;  // of the gradient of a weight with more rows than that: sgemm packs the longer side

bool is_large(std::int64_t m, std::int64_t n, std::int64_t k) { return m >= kFewestRows && n * k >= kSmallestMatrix; }

// sgemm makes the code of all its forms at its first call.
void make_code() {
    const SetupScope setup(Setup::Primitive);
    require_room_for_code();
    constexpr std::int64_t kSide = 16;
    const std::vector<float> a(kSide * kSide, 0.0F);
    std::vector<float> c(kSide * kSide, 0.0F);
    sgemm(false, false, kSide, kSide, kSide, 1, a.data(), kSide, a.data(), kSide, 0, c.data(), kSide);
}

// gemm<float> calls it (set_float_gemm), after copying operands with strides that sgemm does not support.
void product(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
             const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
             std::int64_t ldc) {
    static std::once_flag code;
    std::call_once(code, make_code);
    const bool is_by_transposed = !transpose_a && transpose_b && is_large(m, n, k);
    const bool is_tall = transpose_a && !transpose_b && n >= kFewestColumns && m >= 2 * n && is_large(m, n, k);
    if (alpha == 1 && (is_by_transposed || is_tall))
        return run({transpose_a, transpose_b, m, n, k, a, lda, b, ldb, beta, c, ldc});
    sgemm(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// ---- linear layers

// Does packing `right` pay off for products with this many rows? Only for a weight that is not trained: packing costs
// as much as a product with tens of rows. With many rows the gain is too small for the memory.
bool is_worth_packing(const Tensor& right, std::int64_t rows) {
    constexpr std::int64_t kFewest = 4;
    constexpr std::int64_t kMost = 128;
    const MemoryCategory category = right.storage()->category();
    return rows >= kFewest && rows <= kMost && right.numel() >= kSmallestMatrix && right.strides()[0] == 1 &&
           right.strides()[1] == right.sizes()[0] &&
           (category == MemoryCategory::Parameter || category == MemoryCategory::Buffer) && !requires_grad(right);
}

// out = left weight (+ bias).
void multiply_by_weight(const Tensor& out, const Tensor& left, const Tensor& weight, const Tensor& bias) {
    const Layout a = layout_of(left);
    const Layout own = layout_of(weight);
    const Layout c = layout_of(out);
    const Layout row = bias.defined() ? matrix_layout(1, out.sizes()[1], out.sizes()[1], 1) : Layout();
    Key key;
    key.add(std::int64_t{1}).add(std::int64_t{bias.defined()}).add(left.sizes()).add(weight.sizes());
    const ProductPlan& plan =
        product_plans().get(key, [&] { return ProductPlan(a, any_layout(dims_of(weight.sizes())), row, c, 0); });
    std::unordered_map<int, Memory> arguments{
        {DNNL_ARG_SRC, memory_of(left)},
        {DNNL_ARG_WEIGHTS, packed_weight(weight, own, plan.descriptor.weights_desc())},
        {DNNL_ARG_DST, memory_of(out)}};
    if (bias.defined()) arguments.emplace(DNNL_ARG_BIAS, memory_at(row, bias.raw_data()));
    execute(plan.primitive, std::move(arguments), plan.descriptor.scratchpad_desc());
}

// ---- operators

void multiply(const Tensor& out, const Tensor& a, const Tensor& b, float beta, float alpha) {
    gemm<float>(alpha, matrix_of<const float>(a), matrix_of<const float>(b), beta, matrix_of<float>(out));
}

MatrixBatch<const float> batch_of(const Tensor& t) {
    return {{t.data<float>(), t.sizes()[1], t.sizes()[2], t.strides()[1], t.strides()[2]}, t.strides()[0]};
}

void multiply_batch(const Tensor& out, const Tensor& a, const Tensor& b, float beta, float alpha) {
    const MatrixBatch<float> c{{out.data<float>(), out.sizes()[1], out.sizes()[2], out.strides()[1], out.strides()[2]},
                               out.strides()[0]};
    batched_gemm<float>(out.sizes()[0], alpha, batch_of(a), batch_of(b), beta, c);
}

void spread(const Tensor& out, const Tensor& self, const Scalar& beta) {
    if (!beta.equals(0) && !self.is_same(out)) copy_strided(out, expanded(self, out.sizes()));
}

void mm(const Tensor& out, const Tensor& self, const Tensor& mat2) {
    if (is_worth_packing(mat2, self.sizes()[0]) && self.is_contiguous() && out.is_contiguous()) {
        return multiply_by_weight(out, self, mat2, Tensor());
    }
    multiply(out, self, mat2, 0, 1);
}

void addmm(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
           const Scalar& alpha) {
    const bool is_bias =
        self.dim() == 1 && self.numel() == out.sizes()[1] && self.is_contiguous() && beta.equals(1) && alpha.equals(1);
    if (is_bias && is_worth_packing(mat2, mat1.sizes()[0]) && mat1.is_contiguous() && out.is_contiguous()) {
        return multiply_by_weight(out, mat1, mat2, self);
    }
    const std::int64_t m = out.sizes()[0], n = out.sizes()[1], k = mat1.sizes()[1];
    const bool is_linear =
        is_bias && mat2.strides()[0] == 1 && mat2.strides()[1] >= k && mat1.is_contiguous() && out.is_contiguous();
    if (is_linear && is_large(m, n, k)) {
        return run({false, true, m, n, k, mat1.data<float>(), k, mat2.data<float>(), mat2.strides()[1], 0,
                    out.data<float>(), n, self.data<float>()});
    }
    spread(out, self, beta);
    multiply(out, mat1, mat2, beta.to<float>(), alpha.to<float>());
}

void bmm(const Tensor& out, const Tensor& self, const Tensor& mat2) { multiply_batch(out, self, mat2, 0, 1); }

void baddbmm(const Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
             const Scalar& alpha) {
    spread(out, self, beta);
    multiply_batch(out, batch1, batch2, beta.to<float>(), alpha.to<float>());
}

bool accepts_two(Arguments arguments, std::string* why) { return accepts_float32(arguments, {0, 1}, why); }
bool accepts_three(Arguments arguments, std::string* why) { return accepts_float32(arguments, {0, 1, 2}, why); }

}  // namespace

void register_products(const PluginRegistries& registries) {
    set_float_gemm(product);
    registries.add_kernel("aten::mm", DeviceType::Cpu, {"onednn", filling<mm>, accepts_two});
    registries.add_kernel("aten::bmm", DeviceType::Cpu, {"onednn", filling<bmm>, accepts_two});
    registries.add_kernel("aten::addmm", DeviceType::Cpu, {"onednn", filling<addmm>, accepts_three});
    registries.add_kernel("aten::baddbmm", DeviceType::Cpu, {"onednn", filling<baddbmm>, accepts_three});
}

}  // namespace loupe::onednn
