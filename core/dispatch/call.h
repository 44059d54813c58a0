// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calling operators from C++, through the dispatcher and so recorded: core/dispatch/functions.h has one handle an
// operator.
//
//     const Tensor y = fn::add(fn::mul(a, b), c);

#include <array>
#include <atomic>
#include <tuple>

#include "core/dispatch/dispatch.h"

namespace loupe {

// A call by name; trailing arguments that are not given take the schema's defaults.
// Result: Tensor, TensorList, Scalar, std::int64_t, bool, double, or a std::tuple of Tensors.
template <typename Result = Tensor>
class OperatorHandle {
  public:
    constexpr explicit OperatorHandle(const char* full_name) : name_(full_name) {}

    template <typename... Args>
    Result operator()(const Args&... args) const {
        constexpr std::size_t kGiven = sizeof...(Args);
        const Operator& op = get();
        if (op.argument_count() == kGiven) {
            const std::array<IValue, kGiven> all{IValue(args)...};
            return run(op, all);
        }
        std::vector<IValue> all{IValue(args)...};
        fill_defaults(op, all);
        return run(op, all);
    }

    const Operator& get() const {
        const Operator* op = op_.load(std::memory_order_acquire);
        if (op == nullptr) {
            op = &lookup(name_);
            op_.store(op, std::memory_order_release);
        }
        return *op;
    }

  private:
    static Result run(const Operator& op, std::span<const IValue> arguments);

    const char* name_;
    mutable std::atomic<const Operator*> op_{nullptr};

    // Throws Error (Internal) for an unknown name.
    static const Operator& lookup(const char* name);
    static void fill_defaults(const Operator& op, std::vector<IValue>& arguments);
};

namespace detail {
const Operator& operator_or_throw(const char* full_name);
void fill_default_arguments(const Operator& op, std::vector<IValue>& arguments);

template <typename T>
struct TakeResult {
    static T take(IValue* results) {
        if constexpr (std::is_same_v<T, Tensor>)
            return std::move(results[0]).to_tensor();
        else if constexpr (std::is_same_v<T, TensorList>)
            return results[0].to_tensors();
        else if constexpr (std::is_same_v<T, bool>)
            return results[0].to_bool();
        else if constexpr (std::is_same_v<T, std::int64_t>)
            return results[0].to_int();
        else if constexpr (std::is_same_v<T, double>)
            return results[0].to_double();
        else if constexpr (std::is_same_v<T, Scalar>)
            return results[0].to_scalar();
        else
            return results[0];
    }
};
template <typename... T>
struct TakeResult<std::tuple<T...>> {
    static std::tuple<T...> take(IValue* results) {
        return take_each(results, std::make_index_sequence<sizeof...(T)>());
    }
    template <std::size_t... I>
    static std::tuple<T...> take_each(IValue* results, std::index_sequence<I...>) {
        return {TakeResult<T>::take(results + I)...};
    }
};
}  // namespace detail

template <typename Result>
Result OperatorHandle<Result>::run(const Operator& op, std::span<const IValue> arguments) {
    std::array<IValue, 8> results;
    call_operator(op, arguments, results.data());
    return detail::TakeResult<Result>::take(results.data());
}
template <typename Result>
const Operator& OperatorHandle<Result>::lookup(const char* name) {
    return detail::operator_or_throw(name);
}
template <typename Result>
void OperatorHandle<Result>::fill_defaults(const Operator& op, std::vector<IValue>& arguments) {
    detail::fill_default_arguments(op, arguments);
}

}  // namespace loupe
