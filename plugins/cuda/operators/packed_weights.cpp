// SPDX-License-Identifier: Apache-2.0
// Products with weights of 4 bits.
#include "plugins/cuda/loops/packed_weights.h"

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

Tensor pack_nibbles(const Tensor& self, std::int64_t) {
    const Tensor weights = dense(self);
    const std::int64_t columns = self.size(0), depth = self.size(1);
    const Tensor packed = zeros(std::array{columns, depth / 2}, ScalarType::UInt8, self.device());
    run_pack_nibbles(queue_of(self.device()), static_cast<const std::int32_t*>(address_of(weights)), columns, depth,
                     static_cast<std::uint8_t*>(address_of(packed)));
    return packed;
}

Tensor product_of_nibbles(const Tensor& self, const Tensor& packed, std::int64_t group, const Tensor& parameters) {
    const std::int64_t columns = packed.size(0), depth = packed.size(1) * 2;
    const Tensor bytes = dense(packed), numbers = dense(parameters, ScalarType::Float32);
    const Tensor weights = empty(std::array{columns, depth}, ScalarType::Float32, self.device());
    run_unpack_nibbles(queue_of(self.device()), static_cast<const std::uint8_t*>(address_of(bytes)), columns, depth,
                       group, static_cast<const float*>(address_of(numbers)), static_cast<float*>(address_of(weights)));
    return dense(fn::mm(dense(self, ScalarType::Float32), fn::t(weights)), self.dtype());
}

Tensor rounded_product(const Tensor& input, const Tensor& packed, std::int64_t block, std::int64_t in_features,
                       std::int64_t out_features) {
    const Tensor x = dense(fn::reshape(input, Dims{-1, in_features})), held = dense(packed);
    const std::int64_t rows = x.size(0);
    const Device device = input.device();
    const Queue queue = queue_of(device);
    const Tensor out = empty(std::array{rows, out_features}, ScalarType::Float32, device);
    const Tensor offsets = empty(std::array{rows, in_features}, ScalarType::Int32, device);
    const Tensor steps = empty(std::array{rows}, ScalarType::Float32, device);
    RowProduct product;
    product.rows = rows;
    product.columns = out_features;
    product.depth = in_features;
    product.block = block;
    product.bytes = static_cast<const float*>(address_of(held));
    product.scales = product.bytes + out_features * in_features / 2;
    run_round_rows(queue, rows, in_features, static_cast<const float*>(address_of(x)),
                   static_cast<std::int32_t*>(address_of(offsets)), static_cast<float*>(address_of(steps)));
    run_rounded_product(queue, product, static_cast<const std::int32_t*>(address_of(offsets)),
                        static_cast<const float*>(address_of(steps)), static_cast<float*>(address_of(out)));
    return out;
}
// What the host refuses goes there.
bool takes_rounded(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor input = a[0].to_tensor(), packed = a[1].to_tensor();
    const std::int64_t block = a[2].to_int(), depth = a[3].to_int(), columns = a[4].to_int();
    const bool fits = input.dtype() == ScalarType::Float32 && packed.dtype() == ScalarType::Float32 &&
                      packed.dim() == 1 && input.device() == packed.device() && depth > 0 && depth % 2 == 0 &&
                      columns >= 0 && input.dim() >= 1 && input.size(-1) == depth && block > 0 &&
                      (block == depth || (block % 32 == 0 && depth % block == 0)) &&
                      packed.numel() >= columns * depth / 2 + columns * (depth / block);
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}

}  // namespace

void register_packed_weights(const Registration& to) {
    to.add("aten::_convert_weight_to_int4pack_for_cpu", boxed<pack_nibbles>);
    to.add("aten::_weight_int4pack_mm_for_cpu", boxed<product_of_nibbles>);
    to.add("aten::_dyn_quant_matmul_4bit", boxed<rounded_product>, takes_rounded);
}

}  // namespace loupe::cuda
