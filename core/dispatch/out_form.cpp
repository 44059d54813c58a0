// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/out_form.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_checks.h"

namespace loupe {

void put_into(const Tensor& out, const Tensor& result) {
    prepare_out(out, result);
    fn::copy_(out, result);
}

void detail::compute_into_last(KernelFunction compute, Arguments arguments, IValue* results) {
    const bool records = GradMode::is_enabled() && std::ranges::any_of(arguments, [](const IValue& v) {
                             return v.is_tensor() && requires_grad(v.to_tensor());
                         });
    if (records) {
        throw Error(
            ErrorKind::Run,
            "functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad.");
    }
    compute(arguments.first(arguments.size() - 1), results);
    const Tensor out = arguments.back().to_tensor();
    put_into(out, results[0].to_tensor());
    results[0] = out;
}

}  // namespace loupe
