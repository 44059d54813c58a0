// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/interpreter/curve.h"

namespace loupe::runtime {
namespace {

thread_local const CurveHandler* current = nullptr;

}  // namespace

void report_curve(const CurvePoint& point) {
    if (current != nullptr) (*current)(point);
}

CurveScope::CurveScope(CurveHandler handler) : handler_(std::move(handler)), scope_(current, &handler_) {}

}  // namespace loupe::runtime
