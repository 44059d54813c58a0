// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls as a user types them: "Adam(lr=0.001, betas=(0.9, 0.99))", "Conv2d(1, 16, 3)".

#include <string>
#include <string_view>
#include <vector>

#include "core/value/callable.h"
#include "core/value/schema.h"

namespace loupe::session {

struct CallText {
    std::string name;  // "Adam"
    struct Argument {
        std::string keyword;  // empty: by place
        std::string text;     // a Python literal
    };
    std::vector<Argument> arguments;
};
// Without brackets it is a name alone. Throws Error (Usage) for what is no call.
CallText parse_call(std::string_view text);
std::string call_text(const CallText& call);

// The literals as the types that a constructor's schema has for them; `skip`: arguments of the schema that stand before
// those of the call ("params"). Throws Error (Usage).
CallArguments call_arguments(const CallText& call, const FunctionSchema& schema, std::size_t skip);

}  // namespace loupe::session
