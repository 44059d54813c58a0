// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/out_form.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe {

void put_into(const Tensor& out, const Tensor& result) {
    if (!can_cast(result.dtype(), out.dtype())) {
        throw Error(ErrorKind::Run, concat("result type ", dtype_graph_name(result.dtype()), " can't be cast to the desired output type ",
                                           dtype_graph_name(out.dtype())));
    }
    if (!std::equal(out.sizes().begin(), out.sizes().end(), result.sizes().begin(), result.sizes().end())) {
        out.set_metadata_from(empty(result.sizes(), out.dtype(), out.device()));
    }
    for (std::size_t d = 0; d < out.sizes().size(); ++d) {
        if (out.strides()[d] != 0 || out.sizes()[d] < 2) continue;
        throw Error(ErrorKind::Run, "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                                    "Please clone() the tensor before performing the operation.");
    }
    fn::copy_(out, result);
}

void detail::compute_into_last(KernelFunction compute, Arguments arguments, IValue* results) {
    const bool records = GradMode::is_enabled() && std::ranges::any_of(arguments, [](const IValue& v) {
        return v.is_tensor() && requires_grad(v.to_tensor());
    });
    if (records) {
        throw Error(ErrorKind::Run, "functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                                    "requires grad.");
    }
    compute(arguments.first(arguments.size() - 1), results);
    const Tensor out = arguments.back().to_tensor();
    put_into(out, results[0].to_tensor());
    results[0] = out;
}

}  // namespace loupe
