// SPDX-License-Identifier: Apache-2.0
// Methods of bytes and bytearray.
#include <algorithm>
#include <cctype>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"

namespace loupe::python {
namespace {

const BytesObject& self_of(const CallArguments& a) {
    const auto* bytes = a.positional.empty() ? nullptr : object_as<BytesObject>(a.positional[0]);
    if (bytes == nullptr) throw_type_error("a method of bytes needs bytes");
    return *bytes;
}
const std::string& data_of(const CallArguments& a) { return self_of(a).data; }

const std::string& bytes_of(const IValue& value) {
    const auto* bytes = object_as<BytesObject>(value);
    if (bytes == nullptr) throw_type_error(concat("a bytes-like object is required, not '", type_name(value), "'"));
    return bytes->data;
}
const std::string& part_of(const CallArguments& a, std::size_t i) {
    return bytes_of(i < a.positional.size() ? a.positional[i] : IValue());
}

// What is looked for: bytes, or one byte as an int.
std::string needle_of(const CallArguments& a) {
    if (a.positional.size() > 1 && a.positional[1].is_int())
        return std::string(1, static_cast<char>(a.positional[1].to_int()));
    return part_of(a, 1);
}

char byte_of(const IValue& value) {
    const std::int64_t byte = to_index(value);
    if (byte < 0 || byte > 255) throw_value_error("byte must be in range(0, 256)");
    return static_cast<char>(byte);
}

std::string bytes_of_hex(const std::string& text) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
    };
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ' || text[i] == '\n') {
            ++i;
            continue;
        }
        const int high = digit(text[i]);
        const int low = i + 1 < text.size() ? digit(text[i + 1]) : -1;
        if (high < 0 || low < 0) {
            throw_value_error(
                concat("non-hexadecimal number found in fromhex() arg at position ", high < 0 ? i : i + 1));
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

IValue hex(CallArguments a) {
    std::string out;
    for (const char c : data_of(a)) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        out += kDigits[static_cast<unsigned char>(c) >> 4U];
        out += kDigits[static_cast<unsigned char>(c) & 15U];
    }
    return IValue(std::move(out));
}

// The stretch that start and end of find(), count() mean; nullopt when it is none.
std::optional<std::pair<std::size_t, std::string_view>> stretch(const CallArguments& a) {
    const std::string& data = data_of(a);
    const auto size = static_cast<std::int64_t>(data.size());
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
        if (i >= a.positional.size() || a.positional[i].is_none()) return otherwise;
        const std::int64_t at = to_index(a.positional[i]);
        return std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size);
    };
    const std::int64_t start = bound(2, 0);
    const std::int64_t end = bound(3, size);
    if (end < start) return std::nullopt;
    return std::pair(
        static_cast<std::size_t>(start),
        std::string_view(data).substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
}

std::int64_t find(const CallArguments& a, bool from_right) {
    const auto in = stretch(a);
    if (!in) return -1;
    const std::string needle = needle_of(a);
    const std::size_t at = from_right ? in->second.rfind(needle) : in->second.find(needle);
    return at == std::string_view::npos ? -1 : static_cast<std::int64_t>(in->first + at);
}

IValue count(CallArguments a) {
    const auto in = stretch(a);
    const std::string needle = needle_of(a);
    std::int64_t found = 0;
    if (!in) return found;
    if (needle.empty()) return static_cast<std::int64_t>(in->second.size() + 1);
    for (std::size_t at = in->second.find(needle); at != std::string_view::npos;
         at = in->second.find(needle, at + needle.size()))
        ++found;
    return found;
}

bool has_affix(const CallArguments& a, bool at_start) {
    const std::string& data = data_of(a);
    const auto has = [&](const IValue& affix) {
        return at_start ? data.starts_with(bytes_of(affix)) : data.ends_with(bytes_of(affix));
    };
    if (a.positional.size() < 2) throw_type_error("expected at least 1 argument, got 0");
    if (!a.positional[1].is_tuple()) return has(a.positional[1]);
    const auto& affixes = a.positional[1].to_tuple().elements;
    return std::any_of(affixes.begin(), affixes.end(), has);
}

IValue join(CallArguments a) {
    check_positional(a, "join", 2, 2);
    std::string out;
    std::size_t index = 0;
    if (!is_iterable(a.positional[1])) throw_type_error("can only join an iterable");
    for (const IValue& value : to_vector(a.positional[1])) {
        const auto* bytes = object_as<BytesObject>(value);
        if (bytes == nullptr)
            throw_type_error(
                concat("sequence item ", index, ": expected a bytes-like object, ", type_name(value), " found"));
        if (index++ > 0) out += data_of(a);
        out += bytes->data;
    }
    return self_of(a).with(std::move(out));
}

IValue replace(CallArguments a) {
    check_positional(a, "replace", 3, 4);
    const std::string& data = data_of(a);
    const std::string& from = part_of(a, 1);
    const std::string& to = part_of(a, 2);
    std::int64_t left = a.positional.size() == 4 ? to_index(a.positional[3]) : -1;
    std::string out;
    std::size_t at = 0;
    while (left != 0) {
        const std::size_t next = from.empty() ? at : data.find(from, at);
        if (next == std::string::npos || next > data.size()) break;
        out.append(data, at, next - at);
        out += to;
        at = next + from.size();
        --left;
        if (!from.empty()) continue;
        if (at >= data.size()) return self_of(a).with(std::move(out));
        out += data[at++];
    }
    if (at < data.size()) out.append(data, at);
    return self_of(a).with(std::move(out));
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

IValue split(CallArguments a) {
    const BoundArguments given(a, "split", {"self", "sep=", "maxsplit="});
    const BytesObject& self = self_of(a);
    const std::string& data = self.data;
    std::int64_t left = given.int_or(2, -1);
    std::vector<IValue> out;
    if (!given.has(1) || given[1].is_none()) {
        for (std::size_t at = 0;; --left) {
            while (at < data.size() && is_space(data[at])) ++at;
            if (at == data.size()) break;
            std::size_t end = left == 0 ? data.size() : at;
            while (end < data.size() && !is_space(data[end])) ++end;
            out.push_back(self.with(data.substr(at, end - at)));
            at = end;
        }
        return make_list(std::move(out));
    }
    const std::string& separator = bytes_of(given[1]);
    if (separator.empty()) throw_value_error("empty separator");
    std::size_t at = 0;
    while (left != 0) {
        const std::size_t next = data.find(separator, at);
        if (next == std::string::npos) break;
        out.push_back(self.with(data.substr(at, next - at)));
        at = next + separator.size();
        --left;
    }
    out.push_back(self.with(data.substr(at)));
    return make_list(std::move(out));
}

IValue strip(const CallArguments& a, bool left, bool right) {
    std::string_view data = data_of(a);
    const bool has_set = a.positional.size() > 1 && !a.positional[1].is_none();
    const auto goes = [&](char c) { return has_set ? part_of(a, 1).find(c) != std::string::npos : is_space(c); };
    while (left && !data.empty() && goes(data.front())) data.remove_prefix(1);
    while (right && !data.empty() && goes(data.back())) data.remove_suffix(1);
    return self_of(a).with(std::string(data));
}

IValue mapped(const CallArguments& a, int (*change)(int)) {
    std::string out = data_of(a);
    for (char& c : out) {
        if (static_cast<unsigned char>(c) < 128) c = static_cast<char>(change(static_cast<unsigned char>(c)));
    }
    return self_of(a).with(std::move(out));
}

bool all_are(const CallArguments& a, int (*is)(int)) {
    const std::string& data = data_of(a);
    return !data.empty() && std::all_of(data.begin(), data.end(), [&](char c) {
        return static_cast<unsigned char>(c) < 128 && is(static_cast<unsigned char>(c)) != 0;
    });
}

IValue justify(const CallArguments& a, std::string_view name, bool left) {
    check_positional(a, name, 2, 3);
    std::string out = data_of(a);
    const std::int64_t width = to_index(a.positional[1]);
    check_size(width, 1);
    const char fill = a.positional.size() == 3 ? part_of(a, 2).at(0) : ' ';
    const auto missing = std::max<std::int64_t>(width - static_cast<std::int64_t>(out.size()), 0);
    out.insert(left ? out.size() : 0, static_cast<std::size_t>(missing), fill);
    return self_of(a).with(std::move(out));
}

ByteArray& array_of(const CallArguments& a) {
    auto* array = a.positional.empty() ? nullptr : object_as<ByteArray>(a.positional[0]);
    if (array == nullptr) throw_type_error("a method of bytearray needs a bytearray");
    return *array;
}

std::size_t place_in(const ByteArray& array, const IValue& key) {
    std::int64_t index = to_index(key);
    if (index < 0) index += static_cast<std::int64_t>(array.data.size());
    if (index < 0 || index >= static_cast<std::int64_t>(array.data.size()))
        throw_error("IndexError", "bytearray index out of range");
    return static_cast<std::size_t>(index);
}

}  // namespace

std::string bytes_from(const IValue& source) {
    if (source.is_string()) return source.to_string();
    if (const auto* bytes = object_as<BytesObject>(source)) return bytes->data;
    if (source.is_int()) {
        if (source.to_int() < 0) throw_value_error("negative count");
        check_size(source.to_int(), 1);
        return std::string(static_cast<std::size_t>(source.to_int()), '\0');
    }
    if (object_as<Instance>(source) != nullptr) {
        if (const auto method = find_attribute(source, "__bytes__"))
            return bytes_of(call(*method, std::vector<IValue>{}));
    }
    std::string data;
    for_each(source, [&](const IValue& value) {
        const std::int64_t byte = to_index(value);
        if (byte < 0 || byte > 255) throw_value_error("bytes must be in range(0, 256)");
        data += static_cast<char>(byte);
        return true;
    });
    return data;
}

IValue ByteArray::with(std::string bytes) const { return IValue::other(make_ptr<ByteArray>(std::move(bytes))); }

void ByteArray::set_item(const IValue& key, IValue value) {
    const auto* slice = object_as<SliceObject>(key);
    if (slice == nullptr) {
        const char byte = byte_of(value);
        data[place_in(*this, key)] = byte;
        return;
    }
    const std::string added = bytes_from(value);
    const auto bounds = slice->bounds(static_cast<std::int64_t>(data.size()));
    if (bounds.step == 1) {
        data.replace(static_cast<std::size_t>(bounds.start), static_cast<std::size_t>(bounds.count), added);
        return;
    }
    if (static_cast<std::int64_t>(added.size()) != bounds.count)
        throw_value_error(
            concat("attempt to assign bytes of size ", added.size(), " to extended slice of size ", bounds.count));
    for (std::int64_t i = 0; i < bounds.count; ++i)
        data[static_cast<std::size_t>(bounds.start + i * bounds.step)] = added[static_cast<std::size_t>(i)];
}

void ByteArray::delete_item(const IValue& key) {
    const auto* slice = object_as<SliceObject>(key);
    if (slice == nullptr) {
        data.erase(place_in(*this, key), 1);
        return;
    }
    const auto bounds = slice->bounds(static_cast<std::int64_t>(data.size()));
    std::vector<std::size_t> places;
    for (std::int64_t i = 0; i < bounds.count; ++i)
        places.push_back(static_cast<std::size_t>(bounds.start + i * bounds.step));
    std::sort(places.rbegin(), places.rend());
    for (const std::size_t place : places) data.erase(place, 1);
}

std::string ByteArray::repr() { return concat("bytearray(", BytesObject::repr(), ")"); }

void define_bytes_methods(ClassObject& cls) {
    // Of what getbuffer() gives.
    cls.define_property("nbytes", [](const IValue& self) { return IValue(length(self)); });
    cls.define("decode", [](CallArguments a) { return IValue(data_of(a)); });
    cls.define("tobytes", [](CallArguments a) { return make_bytes(data_of(a)); });
    cls.define("hex", hex);
    cls.define_class_method("fromhex", [](CallArguments a) {
        check_positional(a, "fromhex", 2, 2);
        return make_bytes(bytes_of_hex(str(a.positional[1])));
    });
    cls.define("startswith", [](CallArguments a) { return IValue(has_affix(a, true)); });
    cls.define("endswith", [](CallArguments a) { return IValue(has_affix(a, false)); });
    for (const bool from_right : {false, true}) {
        cls.define(from_right ? "rfind" : "find",
                   [from_right](CallArguments a) { return IValue(find(a, from_right)); });
        cls.define(from_right ? "rindex" : "index", [from_right](CallArguments a) {
            const std::int64_t at = find(a, from_right);
            if (at < 0) throw_value_error("subsection not found");
            return IValue(at);
        });
    }
    cls.define("count", count);
    cls.define("join", join);
    cls.define("replace", replace);
    cls.define("split", split);
    cls.define("strip", [](CallArguments a) { return strip(a, true, true); });
    cls.define("lstrip", [](CallArguments a) { return strip(a, true, false); });
    cls.define("rstrip", [](CallArguments a) { return strip(a, false, true); });
    cls.define("upper", [](CallArguments a) { return mapped(a, std::toupper); });
    cls.define("lower", [](CallArguments a) { return mapped(a, std::tolower); });
    cls.define("isdigit", [](CallArguments a) { return IValue(all_are(a, std::isdigit)); });
    cls.define("isalpha", [](CallArguments a) { return IValue(all_are(a, std::isalpha)); });
    cls.define("isalnum", [](CallArguments a) { return IValue(all_are(a, std::isalnum)); });
    cls.define("ljust", [](CallArguments a) { return justify(a, "ljust", true); });
    cls.define("rjust", [](CallArguments a) { return justify(a, "rjust", false); });
}

void define_byte_array_methods(ClassObject& cls) {
    cls.define("append", [](CallArguments a) {
        check_positional(a, "append", 2, 2);
        array_of(a).data += byte_of(a.positional[1]);
        return IValue();
    });
    const auto extend = [](CallArguments a) {
        check_positional(a, "extend", 2, 2);
        const std::string added = bytes_from(a.positional[1]);
        array_of(a).data += added;
        return IValue();
    };
    cls.define("extend", extend);
    cls.define("__iadd__", [extend](CallArguments a) {
        const IValue self = a.positional.at(0);
        extend(std::move(a));
        return self;
    });
    cls.define("insert", [](CallArguments a) {
        check_positional(a, "insert", 3, 3);
        std::string& data = array_of(a).data;
        const auto size = static_cast<std::int64_t>(data.size());
        std::int64_t at = to_index(a.positional[1]);
        at = std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size);
        data.insert(static_cast<std::size_t>(at), 1, byte_of(a.positional[2]));
        return IValue();
    });
    cls.define("pop", [](CallArguments a) {
        check_positional(a, "pop", 1, 2);
        ByteArray& array = array_of(a);
        if (array.data.empty()) throw_error("IndexError", "pop from empty bytearray");
        const std::size_t at = place_in(array, a.positional.size() == 2 ? a.positional[1] : IValue(-1));
        const auto byte = static_cast<unsigned char>(array.data[at]);
        array.data.erase(at, 1);
        return IValue(static_cast<std::int64_t>(byte));
    });
    cls.define("remove", [](CallArguments a) {
        check_positional(a, "remove", 2, 2);
        std::string& data = array_of(a).data;
        const std::size_t at = data.find(byte_of(a.positional[1]));
        if (at == std::string::npos) throw_value_error("value not found in bytearray");
        data.erase(at, 1);
        return IValue();
    });
    cls.define("clear", [](CallArguments a) {
        array_of(a).data.clear();
        return IValue();
    });
    cls.define("reverse", [](CallArguments a) {
        std::string& data = array_of(a).data;
        std::reverse(data.begin(), data.end());
        return IValue();
    });
    cls.define("copy", [](CallArguments a) { return array_of(a).with(data_of(a)); });
    cls.define("__delitem__", [](CallArguments a) {
        check_positional(a, "__delitem__", 2, 2);
        array_of(a).delete_item(a.positional[1]);
        return IValue();
    });
}

}  // namespace loupe::python
