// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/python/torch/torch_signatures.h"
#include "core/value/callable.h"

namespace loupe::python {

// "sum() received an invalid combination of arguments - got (str), but expected one of: ...", as PyTorch writes it for
// arguments that no signature takes.
std::string invalid_arguments_message(const SignatureSet& set, const CallArguments& call);

}  // namespace loupe::python
