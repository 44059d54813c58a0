// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/interpreter/print.h"

#include <cstdio>

namespace loupe::runtime {
namespace {

thread_local const PrintHandler* thread_handler = nullptr;

}  // namespace

void print_text(std::string_view text) {
    if (thread_handler != nullptr)
        (*thread_handler)(text);
    else
        std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_error_text(std::string_view text) {
    if (thread_handler != nullptr)
        (*thread_handler)(text);
    else
        std::fwrite(text.data(), 1, text.size(), stderr);
}

PrintScope::PrintScope(PrintHandler handler) : handler_(std::move(handler)), scope_(thread_handler, &handler_) {}

}  // namespace loupe::runtime
