// SPDX-License-Identifier: Apache-2.0
// lu_unpack: the factors, and the exchanges as a matrix.
#include "plugins/cuda/loops/exchanges.h"

#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

void unpack_factors(const Tensor& P, const Tensor& L, const Tensor& U, const Tensor& LU, const Tensor& pivots,
                    bool data, bool with_pivots) {
    const std::int64_t m = LU.size(-2), n = LU.size(-1), k = std::min(m, n);
    if (data) {
        copy_into(U, fn::triu(fn::narrow(LU, std::int64_t{-2}, std::int64_t{0}, k), std::int64_t{0}));
        copy_into(L, fn::tril(fn::narrow(LU, std::int64_t{-1}, std::int64_t{0}, k), std::int64_t{-1}));
        if (L.numel() > 0) fn::fill_(fn::diagonal(L, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1}), Scalar(1));
    }
    if (!with_pivots || P.numel() == 0) return;
    const Queue queue = queue_of(LU.device());
    const Tensor rows = dense(pivots);
    const std::int64_t batch = P.numel() / (m * m);
    Dims sizes = to_dims(LU.sizes());
    sizes.pop_back();
    sizes.back() = 1;
    sizes.push_back(m);
    const Tensor order = empty(span_of(sizes), ScalarType::Int64, LU.device());
    run_row_orders(queue, batch, rows.size(-1), m, static_cast<const std::int32_t*>(address_of(rows)),
                   static_cast<std::int64_t*>(address_of(order)), fault_for(queue, "aten::lu_unpack"));
    check_faults(queue);
    // Row order[r] of column r.
    copy_into(P, fn::scatter_value(zeros(P.sizes(), P.dtype(), P.device()), std::int64_t{-2}, order, Scalar(1)));
}

}  // namespace

void register_exchanges(const Registration& to) { to.add("aten::lu_unpack", filling<unpack_factors, 3>); }

}  // namespace loupe::cuda
