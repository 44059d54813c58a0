// SPDX-License-Identifier: Apache-2.0
#pragma once
// c10::Error and the checks that throw it.

#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace c10 {

// what() is one line of the engine where LibTorch adds a stack trace.
class Error : public std::exception {
  public:
    explicit Error(std::string message) : message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    const char* what_without_backtrace() const noexcept { return message_.c_str(); }
    const std::string& msg() const { return message_; }

  private:
    std::string message_;
};
class IndexError : public Error {
    using Error::Error;
};
class ValueError : public Error {
    using Error::Error;
};
class TypeError : public Error {
    using Error::Error;
};
class NotImplementedError : public Error {
    using Error::Error;
};

namespace detail {
template <typename... Parts>
std::string joined(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}
}  // namespace detail

}  // namespace c10

namespace torch::jit {
// Of a program that raises an exception.
struct JITException : c10::Error {
    using c10::Error::Error;
};
using ErrorReport = c10::Error;
}  // namespace torch::jit

#define TORCH_CHECK(condition, ...)                                                                            \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            std::string torch_check_text = ::c10::detail::joined(__VA_ARGS__);                                 \
            throw ::c10::Error(torch_check_text.empty() ? "Expected " #condition " to be true, but got false." \
                                                        : torch_check_text);                                   \
        }                                                                                                      \
    } while (false)
#define TORCH_CHECK_INDEX(condition, ...)                                              \
    do {                                                                               \
        if (!(condition)) throw ::c10::IndexError(::c10::detail::joined(__VA_ARGS__)); \
    } while (false)
#define TORCH_INTERNAL_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_WARN(...) ((void)(std::cerr << "Warning: " << ::c10::detail::joined(__VA_ARGS__) << '\n'))
#define AT_ERROR(...) throw ::c10::Error(::c10::detail::joined(__VA_ARGS__))
#define AT_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
