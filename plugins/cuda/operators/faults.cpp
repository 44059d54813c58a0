// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/loops/host.h"

namespace loupe::cuda {

void throw_fault(Fault& fault, const char* op) {
    const Fault found = fault;
    fault = {};
    const auto fail = [&](const std::string& message) {
        throw Error(ErrorKind::Run, concat(message, " (in ", op, ")"));
    };
    switch (static_cast<FaultKind>(found.kind)) {
        case FaultKind::None:
            return;
        case FaultKind::TableRow:
            return fail(concat("index out of range in self: ", found.value, " of ", found.limit, " rows"));
        case FaultKind::Pivot:
            return fail(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?");
        case FaultKind::Sample:
            return fail(concat("Expect _random_samples from 0 to 1, but got ", bits_as<double>(found.value)));
        case FaultKind::Class:
            return fail(concat("Target ", found.value, " is out of bounds."));
        case FaultKind::Chance:
            return fail("Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
        case FaultKind::Index:
            return fail(concat("index ", found.value, " is out of bounds for dimension ", found.dim, " with size ",
                               found.limit));
    }
}

}  // namespace loupe::cuda
