// SPDX-License-Identifier: Apache-2.0
// str(), "{}".format(...) and "%s" % ...

#include <array>
#include <cstdio>

#include "core/base/strings.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/text.h"
#include "core/ops/numbers/typed.h"

namespace loupe::numbers {
namespace {

// Fills each "{}" with the next value. "{0}" and "{:5d}" stay as they are, as in TorchScript.
void format(Arguments arguments, IValue* results) {
    const std::string& pattern = arguments[0].to_string();
    std::string out;
    std::size_t next = 1;
    std::size_t from = 0;
    for (std::size_t at = pattern.find("{}"); at != std::string::npos; at = pattern.find("{}", from)) {
        if (next >= arguments.size()) {
            throw Error(ErrorKind::Run, concat("Too few arguments for format string: ", pattern));
        }
        out.append(pattern, from, at - from);
        out += stream_text(arguments[next++]);
        from = at + 2;
    }
    results[0] = IValue(out.append(pattern, from));
}

std::string number_text(const char* specifier, const IValue& value) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), specifier, value.to_scalar().to_double());
    return text.data();
}

void check_number(char specifier, const IValue& value) {
    if (value.is_number()) return;
    throw Error(ErrorKind::Run,
                concat("%", specifier, " requires a number for formatting, but got ", value_type_name(value)));
}

std::string filled(char specifier, const IValue& value) {
    switch (specifier) {
        case 's':
            return stream_text(value);
        case 'r':
            return python_repr(value);
        case 'c':
            if (value.is_int()) return std::string(1, static_cast<char>(value.to_int()));
            return value.to_string();
        case 'd':
        case 'i':
            check_number(specifier, value);
            return std::to_string(value.to_scalar().to_int());
        case 'e':
        case 'f':
        case 'E':
        case 'F': {
            check_number(specifier, value);
            const std::array<char, 3> pattern{'%', specifier, '\0'};
            return number_text(pattern.data(), value);
        }
        default:
            throw Error(ErrorKind::Run,
                        concat("The specifier %", specifier, " is not supported in TorchScript format strings"));
    }
}

// A tuple gives several values, any other value one.
void percent_format(Arguments arguments, IValue* results) {
    const std::string& pattern = arguments[0].to_string();
    std::span<const IValue> values = arguments.subspan(1);
    if (values.size() == 1 && values[0].is_tuple()) values = values[0].to_tuple().elements;
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        if (++i == pattern.size()) throw Error(ErrorKind::Run, "Incomplete format specifier");
        if (pattern[i] == '%') {
            out += '%';
            continue;
        }
        if (used >= values.size()) throw Error(ErrorKind::Run, "Too few arguments for format string");
        out += filled(pattern[i], values[used++]);
    }
    if (used < values.size()) throw Error(ErrorKind::Run, "Too many arguments for format string");
    results[0] = IValue(std::move(out));
}

std::string text_of(const IValue& value) { return stream_text(value); }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::str(t elem) -> str", .summary = "The value as text.", .kernel = boxed<text_of>},
    {.schema = "aten::format(str self, ...) -> str",
     .summary = "The text with each {} replaced by the next value.",
     .kernel = format},
    {.schema = "aten::percentFormat(str self, ...) -> str",
     .summary = "The text with each %s, %d, %f ... replaced by the next value.",
     .kernel = percent_format},
};

}  // namespace

std::span<const OperatorRecord> format_records() { return kRecords; }

}  // namespace loupe::numbers
