// SPDX-License-Identifier: Apache-2.0
#pragma once
// A case's first and second derivatives against differences, as torch.autograd.gradcheck and gradgradcheck compare
// them.

#include <string>

#include "tests/conformance/case_archive.h"

namespace loupe::conformance {

// Floating point or complex: the case is taken in float64 or complex128.
bool has_derivatives(const CaseEntry& entry);

// Empty when the derivatives agree, or when no output has one; else one line. op: the zip's name.
std::string check_derivatives(const CaseArchive& archive, const CaseEntry& entry, const std::string& op);

}  // namespace loupe::conformance
