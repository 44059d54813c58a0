// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/scans.h"

#include "core/dispatch/boxing.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

void scan(Running running, const Tensor& out, const Tensor& self, std::int64_t dim) {
    if (out.numel() == 0) return;
    // Converted first, as PyTorch does.
    const Tensor x = dense(self, out.dtype());
    const Room y(out);
    std::int64_t outer = 1, length = 1, inner = 1;
    const std::int64_t along = self.dim() == 0 ? 0 : wrap_dim(dim, self.dim());
    for (std::int64_t d = 0; d < self.dim(); ++d) (d < along ? outer : d == along ? length : inner) *= self.size(d);
    run_scan(queue_of(out.device()), running, element_of(out.dtype()), outer, length, inner, address_of(x),
             address_of(y.tensor()));
    y.put_back();
}
template <Running kRunning>
void running(const Tensor& out, const Tensor& self, std::int64_t dim, const IValue&) {
    scan(kRunning, out, self, dim);
}
void logcumsumexp(const Tensor& out, const Tensor& self, std::int64_t dim) { scan(Running::LogSumExp, out, self, dim); }

bool takes_sums(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType from = a[0].to_tensor().dtype();
    const ScalarType to = detail::Unbox<std::optional<ScalarType>>::from(a[2]).value_or(from);
    const bool is_taken = is_known(from) && is_known(to);
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(is_known(from) ? to : from)) + " input";
    return is_taken;
}

}  // namespace

void register_scans(const Registration& to) {
    to.add("aten::cumsum", filling<running<Running::Sum>>, takes_sums);
    to.add("aten::cumprod", filling<running<Running::Product>>, takes_sums);
    to.add("aten::logcumsumexp", filling<logcumsumexp>, takes_floating<0>);
}

}  // namespace loupe::cuda
