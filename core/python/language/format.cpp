// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/foreign_type.h"

namespace loupe::python {
namespace {

constexpr std::int64_t kMaxWidth = 1 << 20;  // a longer one is a mistake

// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct Spec {
    std::string fill = " ";
    char align = 0;
    char sign = '-';
    bool is_alternate = false;
    std::int64_t width = 0;
    char grouping = 0;
    std::int64_t precision = -1;
    char type = 0;
};

std::int64_t read_number(std::string_view text, std::size_t& at) {
    std::int64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
        value = std::min<std::int64_t>(value * 10 + (text[at] - '0'), kMaxWidth + 1);
        ++at;
    }
    if (value > kMaxWidth) throw_value_error("Too many decimal digits in format string");
    return value;
}

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

Spec parse_spec(std::string_view text, std::string_view type_name) {
    Spec spec;
    const auto parts = characters(text);
    std::size_t at = 0;
    if (parts.size() > 1 && parts[1].size() == 1 && is_align(parts[1][0])) {
        spec.fill = parts[0];
        spec.align = parts[1][0];
        at = parts[0].size() + 1;
    } else if (!text.empty() && is_align(text[0])) {
        spec.align = text[at++];
    }
    const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
    if (peek() == '+' || peek() == '-' || peek() == ' ') spec.sign = text[at++];
    if (peek() == '#') {
        spec.is_alternate = true;
        ++at;
    }
    if (peek() == '0') {
        ++at;
        if (spec.align == 0) {
            spec.align = '=';
            spec.fill = "0";
        }
    }
    spec.width = read_number(text, at);
    if (peek() == ',' || peek() == '_') spec.grouping = text[at++];
    if (peek() == '.') {
        const std::size_t before = ++at;
        spec.precision = read_number(text, at);
        if (at == before) throw_value_error("Format specifier missing precision");
    }
    if (at < text.size()) spec.type = text[at++];
    if (at != text.size()) {
        throw_value_error(concat("Invalid format specifier '", text, "' for object of type '", type_name, "'"));
    }
    return spec;
}

std::string padded(const std::string& sign, const std::string& body, const Spec& spec, char default_align) {
    const std::int64_t missing = spec.width - text_length(sign) - text_length(body);
    if (missing <= 0) return sign + body;
    const auto fill = [&](std::int64_t count) {
        std::string out;
        for (std::int64_t i = 0; i < count; ++i) out += spec.fill;
        return out;
    };
    switch (spec.align != 0 ? spec.align : default_align) {
        case '<':
            return sign + body + fill(missing);
        case '^':
            return fill(missing / 2) + sign + body + fill(missing - missing / 2);
        case '=':
            return sign + fill(missing) + body;
        default:
            return fill(missing) + sign + body;
    }
}

std::string grouped(const std::string& digits, char separator, std::size_t every) {
    if (separator == 0) return digits;
    const std::size_t end = std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
    std::string out;
    for (std::size_t i = 0; i < end; ++i) {
        if (i > 0 && (end - i) % every == 0) out += separator;
        out += digits[i];
    }
    return out + digits.substr(end);
}

// With zeros as fill, groups go on through them.
std::string zero_grouped(const std::string& sign, std::string body, const Spec& spec) {
    if (spec.grouping == 0 || spec.fill != "0" || spec.align != '=') return body;
    const std::string tail = body.find('.') != std::string::npos ? body.substr(body.find('.')) : "";
    std::string digits;
    for (const char c : body.substr(0, body.size() - tail.size())) {
        if (c != spec.grouping) digits += c;
    }
    while (true) {
        const std::string longer = grouped("0" + digits, spec.grouping, 3);
        if (static_cast<std::int64_t>(sign.size() + body.size()) >= spec.width) return body;
        digits = "0" + digits;
        body = longer + tail;
    }
}

std::string sign_text(bool is_negative, char sign) {
    if (is_negative) return "-";
    return sign == '-' ? "" : std::string(1, sign);
}

std::string small_digits(std::int64_t value, int base) {
    const std::uint64_t magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::array<char, 72> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), magnitude, base).ptr};
}

std::string printf_double(double value, char type, std::int64_t precision, bool is_alternate) {
    const std::string pattern = concat("%", is_alternate ? "#" : "", ".*", type);
    std::array<char, 512> small{};
    const int size = std::snprintf(small.data(), small.size(), pattern.c_str(), static_cast<int>(precision), value);
    if (size < static_cast<int>(small.size())) return {small.data(), static_cast<std::size_t>(size)};
    std::string out(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(out.data(), out.size(), pattern.c_str(), static_cast<int>(precision), value);
    out.pop_back();
    return out;
}

std::string double_digits(double value, const Spec& spec) {
    if (std::isnan(value)) return spec.type == 'F' || spec.type == 'E' || spec.type == 'G' ? "NAN" : "nan";
    if (std::isinf(value)) return spec.type == 'F' || spec.type == 'E' || spec.type == 'G' ? "INF" : "inf";
    switch (spec.type) {
        case 0: {
            if (spec.precision < 0) return loupe::python_repr(value);
            // As g, but with a digit behind the point.
            std::string out = printf_double(value, 'g', std::max<std::int64_t>(spec.precision, 1), spec.is_alternate);
            if (out.find_first_of(".e") == std::string::npos) {
                if (static_cast<std::int64_t>(out.size()) >= spec.precision) {
                    out = printf_double(value, 'e', std::max<std::int64_t>(spec.precision - 1, 0), false);
                    return out;
                }
                out += ".0";
            }
            return out;
        }
        case '%':
            return printf_double(value * 100, 'f', spec.precision < 0 ? 6 : spec.precision, spec.is_alternate) + "%";
        case 'n':
            return printf_double(value, 'g', spec.precision < 0 ? 6 : spec.precision, spec.is_alternate);
        default: {
            const bool is_general = (spec.type | 0x20) == 'g';
            std::int64_t precision = spec.precision < 0 ? 6 : spec.precision;
            if (is_general && precision == 0) precision = 1;
            return printf_double(value, spec.type, precision, spec.is_alternate);
        }
    }
}

std::string format_double(double value, const Spec& spec) {
    if (std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos && spec.type != 0) {
        throw_value_error(concat("Unknown format code '", spec.type, "' for object of type 'float'"));
    }
    const bool is_negative = std::signbit(value) && !std::isnan(value);
    const std::string sign = sign_text(is_negative, spec.sign);
    std::string body = grouped(double_digits(std::fabs(value), spec), spec.grouping, 3);
    return padded(sign, zero_grouped(sign, std::move(body), spec), spec, '>');
}

std::string upper(std::string digits) {
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    return digits;
}

std::string format_int(const IValue& value, const Spec& spec) {
    if (std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos && spec.type != 0) {
        return format_double(integer_to_double(value), spec);
    }
    if (spec.precision >= 0) throw_value_error("Precision not allowed in integer format specifier");
    const bool is_small = !is_big_integer(value);
    std::string sign = sign_text(is_small ? value.to_int() < 0 : is_negative_integer(value), spec.sign);
    int base = 10;
    std::string prefix;
    switch (spec.type) {
        case 0:
        case 'd':
        case 'n':
            break;
        case 'b':
            base = 2;
            prefix = "0b";
            break;
        case 'o':
            base = 8;
            prefix = "0o";
            break;
        case 'x':
            base = 16;
            prefix = "0x";
            break;
        case 'X':
            base = 16;
            prefix = "0X";
            break;
        case 'c': {
            return padded("", call_character(to_index(value)), spec, '<');
        }
        default:
            throw_value_error(concat("Unknown format code '", spec.type, "' for object of type 'int'"));
    }
    if (spec.is_alternate) sign += prefix;
    std::string digits = is_small ? small_digits(value.to_int(), base) : integer_digits(value, base);
    if (spec.type == 'X') digits = upper(std::move(digits));
    std::string body = grouped(digits, spec.grouping, base == 10 ? 3 : 4);
    return padded(sign, zero_grouped(sign, std::move(body), spec), spec, '>');
}

IValue integer_of_finite(double value) {
    if (std::isnan(value)) throw_value_error("cannot convert float NaN to integer");
    if (std::isinf(value)) throw_error("OverflowError", "cannot convert float infinity to integer");
    return integer_of(std::trunc(value));
}

std::string format_text(std::string_view text, const Spec& spec) {
    if (spec.type != 0 && spec.type != 's') {
        throw_value_error(concat("Unknown format code '", spec.type, "' for object of type 'str'"));
    }
    if (spec.align == '=' && spec.fill != "0")
        throw_value_error("'=' alignment not allowed in string format specifier");
    std::string body(text);
    if (spec.precision >= 0 && text_length(text) > spec.precision) {
        const auto parts = characters(text);
        body.clear();
        for (std::int64_t i = 0; i < spec.precision; ++i) body += parts[static_cast<std::size_t>(i)];
    }
    Spec aligned = spec;
    if (aligned.align == '=') aligned.align = '<';
    return padded("", body, aligned, '<');
}

// The value of "0.name[key]" in a replacement field.
class FieldReader {
  public:
    explicit FieldReader(const CallArguments& arguments) : arguments_(arguments) {}

    std::string run(std::string_view text, int depth) {
        if (depth > 2) throw_value_error("Max string recursion exceeded");
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const char c = text[at];
            if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
                out += c;
                at += 2;
            } else if (c == '}') {
                throw_value_error("Single '}' encountered in format string");
            } else if (c == '{') {
                out += field(text, ++at, depth);
            } else {
                out += c;
                ++at;
            }
        }
        return out;
    }

  private:
    std::string field(std::string_view text, std::size_t& at, int depth) {
        const std::size_t start = at;
        int nesting = 1;
        for (; at < text.size(); ++at) {
            if (text[at] == '{') ++nesting;
            if (text[at] == '}' && --nesting == 0) break;
        }
        if (at >= text.size()) {
            throw_value_error(start >= text.size() ? "Single '{' encountered in format string"
                                                   : "expected '}' before end of string");
        }
        const std::string_view inside = text.substr(start, at - start);
        ++at;
        const std::size_t name_end = std::min(inside.find_first_of("!:"), inside.size());
        IValue value = read(inside.substr(0, name_end));
        std::size_t rest = name_end;
        if (rest < inside.size() && inside[rest] == '!') {
            const char conversion = rest + 1 < inside.size() ? inside[rest + 1] : '\0';
            if (conversion == 'r')
                value = IValue(repr(value));
            else if (conversion == 's')
                value = IValue(str(value));
            else if (conversion == 'a')
                value = IValue(ascii_repr(value));
            else
                throw_value_error("unknown conversion specifier");
            rest += 2;
        }
        if (rest < inside.size() && inside[rest] != ':') throw_value_error("expected ':' after conversion specifier");
        const std::string spec = rest < inside.size() ? run(inside.substr(rest + 1), depth + 1) : "";
        return format(value, spec);
    }
    IValue read(std::string_view name) {
        std::size_t at = std::min(name.find_first_of(".["), name.size());
        IValue value = first(name.substr(0, at));
        while (at < name.size()) {
            if (name[at] == '.') {
                const std::size_t end = std::min(name.find_first_of(".[", at + 1), name.size());
                value = get_attribute(value, name.substr(at + 1, end - at - 1));
                at = end;
            } else {
                const std::size_t close = name.find(']', at);
                if (close == std::string_view::npos) throw_value_error("Missing ']' in format string");
                const std::string_view key = name.substr(at + 1, close - at - 1);
                value = get_item(value, key_of(key));
                at = close + 1;
            }
        }
        return value;
    }
    static IValue key_of(std::string_view key) {
        std::int64_t index = 0;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
        const bool is_index = error == std::errc() && end == key.data() + key.size();
        return is_index ? IValue(index) : IValue(key);
    }
    IValue first(std::string_view name) {
        const IValue key = name.empty() ? IValue(next_++) : key_of(name);
        if (key.is_int()) {
            const auto index = static_cast<std::size_t>(key.to_int());
            if (index >= arguments_.positional.size()) {
                throw_error("IndexError",
                            concat("Replacement index ", index, " out of range for positional args tuple"));
            }
            return arguments_.positional[index];
        }
        for (const auto& [keyword, value] : arguments_.keywords) {
            if (keyword == name) return value;
        }
        throw_key_error(key);
    }

    const CallArguments& arguments_;
    std::int64_t next_ = 0;
};

// %[(key)][flags][width][.precision]type
class PercentReader {
  public:
    PercentReader(std::string_view text, const IValue& value) : text_(text), value_(value) {
        if (value.is_tuple())
            arguments_ = value.to_tuple().elements;
        else
            arguments_ = {value};
    }

    std::string run() {
        std::string out;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c != '%') {
                out += c;
            } else if (at_ < text_.size() && text_[at_] == '%') {
                out += text_[at_++];
            } else {
                out += conversion();
            }
        }
        const bool is_mapping = value_.is_dict() || (uses_keys_);
        if (next_ < arguments_.size() && !is_mapping) {
            throw_type_error("not all arguments converted during string formatting");
        }
        return out;
    }

  private:
    const IValue& next() {
        if (next_ >= arguments_.size()) throw_type_error("not enough arguments for format string");
        return arguments_[next_++];
    }
    std::int64_t number() {
        if (at_ < text_.size() && text_[at_] == '*') {
            ++at_;
            return std::min(to_index(next()), kMaxWidth);
        }
        return read_number(text_, at_);
    }
    std::string conversion() {
        IValue keyed;
        bool has_key = false;
        if (at_ < text_.size() && text_[at_] == '(') {
            const std::size_t close = text_.find(')', at_);
            if (close == std::string_view::npos) throw_value_error("incomplete format key");
            if (!value_.is_dict()) throw_type_error("format requires a mapping");
            keyed = get_item(value_, IValue(text_.substr(at_ + 1, close - at_ - 1)));
            has_key = uses_keys_ = true;
            at_ = close + 1;
        }
        Spec spec;
        while (at_ < text_.size() && std::string_view("-+ #0").find(text_[at_]) != std::string_view::npos) {
            switch (text_[at_++]) {
                case '-':
                    spec.align = '<';
                    break;
                case '+':
                    spec.sign = '+';
                    break;
                case ' ':
                    if (spec.sign == '-') spec.sign = ' ';
                    break;
                case '#':
                    spec.is_alternate = true;
                    break;
                default:
                    spec.fill = "0";
            }
        }
        if (spec.align == '<') spec.fill = " ";
        spec.width = number();
        if (at_ < text_.size() && text_[at_] == '.') {
            ++at_;
            spec.precision = number();
        }
        while (at_ < text_.size() && std::string_view("lhL").find(text_[at_]) != std::string_view::npos) ++at_;
        if (at_ >= text_.size()) throw_value_error("incomplete format");
        spec.type = text_[at_++];
        return converted(has_key ? keyed : next(), spec);
    }
    std::string converted(const IValue& given, Spec spec) {
        const bool is_zero = spec.fill == "0";
        const char type = spec.type;
        if (std::string_view("sra").find(type) != std::string_view::npos) {
            spec.fill = " ";
            spec.type = 's';
            if (spec.align == 0) spec.align = '>';
            return format_text(type == 's' ? str(given) : type == 'r' ? repr(given) : ascii_repr(given), spec);
        }
        if (is_zero && spec.align == 0) spec.align = '=';
        const IValue value = is_foreign_number(given) ? IValue(to_float(given)) : plain(given);
        if (type == 'c') {
            spec.type = 0;
            spec.precision = -1;
            return padded("", value.is_string() ? value.to_string() : call_character(to_index(value)), spec, '>');
        }
        if (std::string_view("diuxXo").find(type) != std::string_view::npos) {
            const bool is_any_number = value.is_number() || is_big_integer(value);
            if (!is_any_number || (value.is_double() && type != 'd' && type != 'i' && type != 'u')) {
                throw_type_error(concat(
                    "%", type, " format: ", type == 'x' || type == 'X' || type == 'o' ? "an integer" : "a real number",
                    " is required, not ", type_name(value)));
            }
            spec.type = type == 'i' || type == 'u' ? 'd' : type;
            const std::int64_t least_digits = std::exchange(spec.precision, -1);
            const IValue whole = value.is_double() ? integer_of_finite(value.to_double())
                                 : value.is_bool() ? IValue(value.to_int())
                                                   : value;
            if (least_digits <= 0) return format_int(whole, spec);
            Spec digits;
            digits.width = least_digits;
            digits.fill = "0";
            digits.align = '=';
            digits.type = spec.type;
            const bool is_negative = is_negative_integer(whole);
            const std::string body = format_int(is_negative ? integer_negated(whole) : whole, digits);
            return padded(sign_text(is_negative, spec.sign), body, spec, '>');
        }
        if (std::string_view("eEfFgG").find(type) != std::string_view::npos) {
            if (is_big_integer(value)) return format_double(integer_to_double(value), spec);
            if (!value.is_number() || value.is_complex())
                throw_type_error(concat("must be real number, not ", type_name(value)));
            return format_double(value.to_double(), spec);
        }
        throw_value_error(concat("unsupported format character '", type, "' (", "0x",
                                 small_digits(static_cast<unsigned char>(type), 16), ") at index ", at_ - 1));
    }

    std::string_view text_;
    const IValue& value_;
    std::vector<IValue> arguments_;
    std::size_t at_ = 0;
    std::size_t next_ = 0;
    bool uses_keys_ = false;
};

}  // namespace

std::string format_builtin(const IValue& value, std::string_view spec_text) {
    const Spec spec = parse_spec(spec_text, type_name(value));
    if (value.is_string()) return format_text(value.to_string(), spec);
    if (value.is_bool() && spec.type == 0) {
        if (spec_text.empty()) return str(value);
        return format_int(IValue(value.to_bool() ? 1 : 0), spec);
    }
    if (value.is_bool()) return format_int(value.to_int(), spec);
    if (is_integer(value)) return format_int(value, spec);
    if (value.is_double()) return format_double(value.to_double(), spec);
    if (spec_text.empty()) return str(value);
    const auto number = value.to_complex();
    Spec part = spec;
    part.width = 0;
    Spec imaginary = part;
    imaginary.sign = '+';
    return padded("", concat(format_double(number.real(), part), format_double(number.imag(), imaginary), "j"), spec,
                  '>');
}

std::string format_braces(std::string_view text, const CallArguments& arguments) {
    return FieldReader(arguments).run(text, 0);
}

std::string percent_format(std::string_view text, const IValue& value) { return PercentReader(text, value).run(); }

std::string call_character(std::int64_t code) {
    if (code < 0 || code > 0x10FFFF) throw_value_error("chr() arg not in range(0x110000)");
    const auto bits = static_cast<std::uint32_t>(code);
    std::string out;
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((bits >> shift) & 0x3FU)); };
    if (bits < 0x80) {
        out += static_cast<char>(bits);
    } else if (bits < 0x800) {
        out += static_cast<char>(0xC0U | (bits >> 6U));
        tail(0);
    } else if (bits < 0x10000) {
        out += static_cast<char>(0xE0U | (bits >> 12U));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | (bits >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
    return out;
}

}  // namespace loupe::python
