// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch/functional.py: functions of torch that Python puts before the operators of the same name.

#include <span>
#include <string_view>

#include "core/python/language/operations.h"

namespace loupe::python {

IValue functional_split(CallArguments arguments);
IValue functional_norm(CallArguments arguments);
IValue functional_stft(CallArguments arguments);
IValue functional_unique(CallArguments arguments);
IValue functional_unique_consecutive(CallArguments arguments);
IValue functional_nonzero(CallArguments arguments);

struct FunctionalEntry {
    std::string_view name;
    IValue (*call)(CallArguments arguments);
};
std::span<const FunctionalEntry> functional_entries();

}  // namespace loupe::python
