// SPDX-License-Identifier: Apache-2.0
// linspace, logspace and range.
#include "plugins/cuda/loops/spaced.h"

#include "core/dispatch/boxing.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// (start, end, steps, [base,] dtype, ...)
template <bool kPowers>
void evenly_spaced(Arguments a, IValue* results) {
    const Tensor out = results[0].to_tensor();
    if (out.numel() == 0) return;
    const Room room(out);
    Spaced spaced;
    spaced.element = element_of(out.dtype());
    spaced.first = a[0].to_scalar().to<double>();
    spaced.last = a[1].to_scalar().to<double>();
    spaced.count = out.numel();
    spaced.has_base = kPowers;
    if (kPowers) spaced.base = a[3].to_double();
    run_spaced(queue_of(out.device()), spaced, address_of(room.tensor()));
    room.put_back();
}
// The dtype stands behind so many arguments.
template <std::size_t kDtype>
bool takes_real_ends(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const bool fits = !a[0].to_scalar().is_complex() && !a[1].to_scalar().is_complex() &&
                      (a[kDtype].is_none() || is_known(static_cast<ScalarType>(a[kDtype].to_int())));
    if (!fits && why != nullptr) *why = "complex numbers, or a dtype that loops have not";
    return fits;
}

// (start, end, [step,] dtype, ...): the end is among them.
template <bool kStep>
void closed_range(Arguments a, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const Room room(out);
    const auto both = [](const Scalar& value) {
        Numbers numbers;
        numbers.real[0] = value.to_double();
        numbers.whole[0] = value.to<std::int64_t>();
        return numbers;
    };
    run_range(queue_of(out.device()), element_of(out.dtype()), both(a[0].to_scalar()),
              both(kStep ? a[2].to_scalar() : Scalar(1)), out.numel(), address_of(room.tensor()));
    room.put_back();
}

}  // namespace

void register_spaced(const Registration& to) {
    to.add("aten::linspace", &evenly_spaced<false>, takes_real_ends<3>);
    to.add("aten::logspace", &evenly_spaced<true>, takes_real_ends<4>);
    to.add("aten::range", &closed_range<false>, takes_real_ends<2>);
    to.add("aten::range.step", &closed_range<true>, takes_real_ends<3>);
}

}  // namespace loupe::cuda
