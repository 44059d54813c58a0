// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intercepts this thread's calls of kernels: to find out shapes without computing, and to write down which operators a
// computation (a derivative above all) is made of.

#include "core/base/scoped_value.h"
#include "core/dispatch/registry.h"

namespace loupe {

class DispatchInterceptor {
  public:
    virtual ~DispatchInterceptor() = default;
    // In place of the kernel of an operator that is not composite. False: the kernel runs.
    virtual bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) = 0;
    // For the calls that a kernel makes while it runs; null: they are its own matter.
    virtual DispatchInterceptor* inside() { return nullptr; }
    // After either has run; histories are not set yet.
    virtual void after(const Operator&, std::span<const IValue>, const IValue*) {}
};

namespace detail {
extern thread_local DispatchInterceptor* thread_interceptor;
}

class InterceptorScope final : ScopedValue<DispatchInterceptor*> {
  public:
    // Null: kernels run.
    explicit InterceptorScope(DispatchInterceptor* interceptor)
        : ScopedValue(detail::thread_interceptor, interceptor) {}
};

}  // namespace loupe
