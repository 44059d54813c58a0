// SPDX-License-Identifier: Apache-2.0
// Matrix products: oneDNN's sgemm, made for the machine's instructions at run time.
#include "core/ops/matrix/gemm.h"
#include "core/ops/matrix/layout.h"
#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {
namespace {

// gemm<float> calls back here (set_float_gemm): it copies what has strides that sgemm cannot take.
void multiply(const Tensor& out, const Tensor& a, const Tensor& b, float beta, float alpha) {
    gemm<float>(alpha, matrix_of<const float>(a), matrix_of<const float>(b), beta, matrix_of<float>(out));
}

MatrixBatch<const float> batch_of(const Tensor& t) {
    return {{t.data<float>(), t.sizes()[1], t.sizes()[2], t.strides()[1], t.strides()[2]}, t.strides()[0]};
}

void multiply_batch(const Tensor& out, const Tensor& a, const Tensor& b, float beta, float alpha) {
    const MatrixBatch<float> c{{out.data<float>(), out.sizes()[1], out.sizes()[2], out.strides()[1], out.strides()[2]}, out.strides()[0]};
    batched_gemm<float>(out.sizes()[0], alpha, batch_of(a), batch_of(b), beta, c);
}

void spread(const Tensor& out, const Tensor& self, const Scalar& beta) {
    if (!beta.equals(0) && !self.is_same(out)) copy_strided(out, expanded(self, out.sizes()));
}

void mm(const Tensor& out, const Tensor& self, const Tensor& mat2) { multiply(out, self, mat2, 0, 1); }

void addmm(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
    spread(out, self, beta);
    multiply(out, mat1, mat2, beta.to<float>(), alpha.to<float>());
}

void bmm(const Tensor& out, const Tensor& self, const Tensor& mat2) { multiply_batch(out, self, mat2, 0, 1); }

void baddbmm(const Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
    spread(out, self, beta);
    multiply_batch(out, batch1, batch2, beta.to<float>(), alpha.to<float>());
}

bool accepts_two(Arguments arguments, std::string* why) { return accepts_float32(arguments, {0, 1}, why); }
bool accepts_three(Arguments arguments, std::string* why) { return accepts_float32(arguments, {0, 1, 2}, why); }

}  // namespace

void register_products(const PluginRegistries& registries) {
    set_float_gemm(sgemm);
    registries.add_kernel("aten::mm", DeviceType::Cpu, {"onednn", filling<mm>, accepts_two});
    registries.add_kernel("aten::bmm", DeviceType::Cpu, {"onednn", filling<bmm>, accepts_two});
    registries.add_kernel("aten::addmm", DeviceType::Cpu, {"onednn", filling<addmm>, accepts_three});
    registries.add_kernel("aten::baddbmm", DeviceType::Cpu, {"onednn", filling<baddbmm>, accepts_three});
}

}  // namespace loupe::onednn
