// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_spec.h"

#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/scalar_type.h"

namespace loupe::session {
namespace {

[[noreturn]] void bad_spec(std::string message) {
    throw Error(ErrorKind::Usage, std::move(message), {.hint = kInputSpecHint});
}

Shape parse_shape(std::string_view text) {
    if (text == "scalar" || text.empty()) return {};
    Shape shape;
    for (const auto part : split(text, 'x')) {
        std::int64_t size = 0;
        const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), size);
        const bool is_size = failure == std::errc{} && end == part.data() + part.size() && size >= 0;
        if (!is_size) bad_spec(concat("'", text, "' is no shape"));
        shape.push_back(size);
    }
    return shape;
}

std::optional<InputSpec::Source> source_from_name(std::string_view name) {
    if (name == "random" || name == "rand" || name == "uniform") return InputSpec::Source::Random;
    if (name == "normal" || name == "randn") return InputSpec::Source::Normal;
    if (name == "zeros") return InputSpec::Source::Zeros;
    if (name == "ones") return InputSpec::Source::Ones;
    if (name == "arange") return InputSpec::Source::Arange;
    return std::nullopt;
}

std::string_view source_name(InputSpec::Source source) {
    switch (source) {
        case InputSpec::Source::Random:
            return "random";
        case InputSpec::Source::Normal:
            return "normal";
        case InputSpec::Source::Zeros:
            return "zeros";
        case InputSpec::Source::Ones:
            return "ones";
        case InputSpec::Source::Arange:
            return "arange";
        case InputSpec::Source::File:
            return "file";
        case InputSpec::Source::Example:
            return "example";
    }
    return "file";
}

}  // namespace

InputSpec parse_input_spec(const std::string& text) {
    InputSpec spec;
    const auto parts = split(text, ':');
    spec.shape = parse_shape(parts[0]);
    if (parts.size() > 3) bad_spec(concat("'", text, "' has too many parts"));
    bool source_given = false;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (const auto source = source_from_name(parts[i])) {
            spec.source = *source;
            source_given = true;
        } else if (dtype_from_name(parts[i])) {
            spec.dtype = std::string(dtype_name(*dtype_from_name(parts[i])));
        } else {
            bad_spec(concat("'", parts[i], "' is neither a dtype nor random, normal, zeros, ones, arange"));
        }
    }
    if (!source_given && is_integral(*dtype_from_name(spec.dtype))) spec.source = InputSpec::Source::Random;
    return spec;
}

std::string input_spec_text(const InputSpec& spec) {
    if (spec.literal) return *spec.literal;
    if (spec.source == InputSpec::Source::Example) return concat("example_inputs[", spec.key, "]");
    if (spec.source == InputSpec::Source::File) {
        return spec.key.empty() ? spec.file : concat(spec.file, "[", spec.key, "]");
    }
    return concat(shape_text(spec.shape), ":", spec.dtype, ":", source_name(spec.source));
}

}  // namespace loupe::session
