// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values as bytes, to be read by another process: to_bytes(), from_bytes().
//
// Little endian. Numbers have their size, bool and what may be missing a byte, 0 or 1, before the rest; texts, rows,
// sets and maps begin with their count in 8 bytes; an enumeration is a number of 4 bytes; a struct is its fields (see
// fields.h) in their order. Rows of double that float holds are written as float. Behind a shared_ptr to a value that
// value is copied. Nothing read is trusted: what is cut off, left over, too deep, or no value of its type throws Error
// (File).

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe::session {

class WireWriter {
  public:
    template <std::unsigned_integral T>
    void number(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
    void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

class WireReader {
  public:
    // Where the texts of string_views are kept, such as a recording does: equal ones once, as long as it lives.
    using Keep = std::function<std::string_view(std::string_view)>;

    explicit WireReader(std::string_view bytes, Keep keep = {})
        : bytes_(std::as_bytes(std::span(bytes)), "a message"), keep_(std::move(keep)) {}

    template <std::unsigned_integral T>
    T number() {
        return bytes_.little<T>();
    }
    std::string_view take(std::uint64_t size) { return bytes_.take_text(size); }
    // Of things that take this many bytes each, at least.
    std::size_t count(std::size_t least = 1) {
        const auto count = bytes_.little<std::uint64_t>();
        if (count > bytes_.remaining() / least) fail(concat(count, " elements in ", bytes_.remaining(), " bytes"));
        return static_cast<std::size_t>(count);
    }
    bool flag() {
        const auto byte = bytes_.little<std::uint8_t>();
        if (byte > 1) fail(concat(static_cast<int>(byte), " is neither yes nor no"));
        return byte == 1;
    }
    std::string_view kept(std::string_view text) {
        if (!keep_) throw Error(ErrorKind::Internal, "the texts of this message have no owner");
        return keep_(text);
    }
    void finish() const {
        if (!bytes_.at_end()) fail(concat(bytes_.remaining(), " bytes too many"));
    }
    [[noreturn]] void fail(const std::string& what) const { throw_file_error("a damaged message: " + what); }

    // A struct in a struct in a struct: as deep as the stack allows by far.
    class Deeper {
      public:
        explicit Deeper(WireReader& reader) : reader_(reader) {
            if (++reader_.depth_ > kMostDepth) reader_.fail("it is too deep");
        }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        ~Deeper() { --reader_.depth_; }

      private:
        WireReader& reader_;
    };

  private:
    static constexpr int kMostDepth = 100;

    ByteReader bytes_;
    Keep keep_;
    int depth_ = 0;
};

// How a type is written and read.
template <typename T>
struct Wire;

template <typename T>
void write_wire(WireWriter& out, const T& value) {
    Wire<T>::write(out, value);
}
template <typename T>
void read_wire(WireReader& in, T& value) {
    Wire<T>::read(in, value);
}

template <typename T>
std::string to_bytes(const T& value) {
    WireWriter out;
    write_wire(out, value);
    return out.take();
}
template <typename T>
T from_bytes(std::string_view bytes, WireReader::Keep keep = {}) {
    WireReader in(bytes, std::move(keep));
    T value{};
    read_wire(in, value);
    in.finish();
    return value;
}

template <>
struct Wire<bool> {
    static void write(WireWriter& out, bool value) { out.number<std::uint8_t>(value ? 1 : 0); }
    static void read(WireReader& in, bool& value) { value = in.flag(); }
};

template <std::integral T>
struct Wire<T> {
    using Bits = std::make_unsigned_t<T>;
    static void write(WireWriter& out, T value) { out.number(static_cast<Bits>(value)); }
    static void read(WireReader& in, T& value) { value = static_cast<T>(in.number<Bits>()); }
};

template <std::floating_point T>
struct Wire<T> {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    static void write(WireWriter& out, T value) { out.number(std::bit_cast<Bits>(value)); }
    static void read(WireReader& in, T& value) { value = std::bit_cast<T>(in.number<Bits>()); }
};

template <typename T>
requires std::is_enum_v<T>
struct Wire<T> {
    static void write(WireWriter& out, T value) { out.number(static_cast<std::uint32_t>(value)); }
    static void read(WireReader& in, T& value) {
        const auto number = in.number<std::uint32_t>();
        if (number > static_cast<std::uint32_t>(last_of(T())))
            in.fail(concat(number, " is no value of its enumeration"));
        value = static_cast<T>(number);
    }
};

template <>
struct Wire<std::string> {
    static void write(WireWriter& out, const std::string& value) {
        out.number<std::uint64_t>(value.size());
        out.append(value.data(), value.size());
    }
    static void read(WireReader& in, std::string& value) { value = in.take(in.count()); }
};

// A text that is kept elsewhere: see WireReader::Keep.
template <>
struct Wire<std::string_view> {
    static void write(WireWriter& out, std::string_view value) {
        out.number<std::uint64_t>(value.size());
        out.append(value.data(), value.size());
    }
    static void read(WireReader& in, std::string_view& value) { value = in.kept(in.take(in.count())); }
};

template <>
struct Wire<std::filesystem::path> {
    static void write(WireWriter& out, const std::filesystem::path& value) { write_wire(out, value.string()); }
    static void read(WireReader& in, std::filesystem::path& value) {
        value = std::filesystem::path(in.take(in.count()));
    }
};

template <typename T>
struct Wire<std::vector<T>> {
    // Rows of numbers may be long; they lie in memory as they are written.
    static constexpr bool kIsPlain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
                                     (std::endian::native == std::endian::little || sizeof(T) == 1);

    static void write(WireWriter& out, const std::vector<T>& value) {
        out.number<std::uint64_t>(value.size());
        if constexpr (kIsPlain)
            out.append(value.data(), value.size() * sizeof(T));
        else
            for (const auto& each : value) write_wire<T>(out, each);
    }
    static void read(WireReader& in, std::vector<T>& value) {
        if constexpr (HasFields<T>) static_assert(kFieldsListed<T> != 0, "a count of things that take no bytes");
        value.clear();
        if constexpr (kIsPlain) {
            value.resize(in.count(sizeof(T)));
            const std::string_view bytes = in.take(value.size() * sizeof(T));
            if (!bytes.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
        } else {
            // Grows with what is really there.
            for (std::size_t left = in.count(); left > 0; --left) {
                T each{};
                read_wire(in, each);
                value.push_back(std::move(each));
            }
        }
    }
};

// Elements of tensors are double for whoever draws them, and mostly were float: half as long where none loses a bit.
template <>
struct Wire<std::vector<double>> {
    static bool are_floats(const std::vector<double>& value) {
        return std::endian::native == std::endian::little && std::all_of(value.begin(), value.end(), [](double each) {
                   return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(each))) ==
                          std::bit_cast<std::uint64_t>(each);
               });
    }
    static void write(WireWriter& out, const std::vector<double>& value) {
        const bool is_short = are_floats(value);
        write_wire(out, is_short);
        if (is_short) return write_wire(out, std::vector<float>(value.begin(), value.end()));
        out.number<std::uint64_t>(value.size());
        for (const double each : value) write_wire(out, each);
    }
    static void read(WireReader& in, std::vector<double>& value) {
        if (in.flag()) {
            std::vector<float> floats;
            read_wire(in, floats);
            value.assign(floats.begin(), floats.end());
            return;
        }
        value.resize(in.count(sizeof(double)));
        for (double& each : value) read_wire(in, each);
    }
};

template <typename T, std::size_t N>
struct Wire<std::array<T, N>> {
    static void write(WireWriter& out, const std::array<T, N>& value) {
        for (const T& each : value) write_wire(out, each);
    }
    static void read(WireReader& in, std::array<T, N>& value) {
        for (T& each : value) read_wire(in, each);
    }
};

template <typename T>
struct Wire<std::optional<T>> {
    static void write(WireWriter& out, const std::optional<T>& value) {
        write_wire(out, value.has_value());
        if (value) write_wire(out, *value);
    }
    static void read(WireReader& in, std::optional<T>& value) {
        value.reset();
        if (!in.flag()) return;
        T read{};
        read_wire(in, read);
        value = std::move(read);
    }
};

template <typename A, typename B>
struct Wire<std::pair<A, B>> {
    static void write(WireWriter& out, const std::pair<A, B>& value) {
        write_wire(out, value.first);
        write_wire(out, value.second);
    }
    static void read(WireReader& in, std::pair<A, B>& value) {
        read_wire(in, value.first);
        read_wire(in, value.second);
    }
};

template <typename K, typename V, typename... Rest>
struct Wire<std::map<K, V, Rest...>> {
    static void write(WireWriter& out, const std::map<K, V, Rest...>& value) {
        out.number<std::uint64_t>(value.size());
        for (const auto& [key, each] : value) {
            write_wire(out, key);
            write_wire(out, each);
        }
    }
    static void read(WireReader& in, std::map<K, V, Rest...>& value) {
        value.clear();
        for (std::size_t left = in.count(); left > 0; --left) {
            std::pair<K, V> each;
            read_wire(in, each);
            if (!value.insert(std::move(each)).second) in.fail("a key is there twice");
        }
    }
};

template <typename K, typename... Rest>
struct Wire<std::set<K, Rest...>> {
    static void write(WireWriter& out, const std::set<K, Rest...>& value) {
        out.number<std::uint64_t>(value.size());
        for (const K& each : value) write_wire(out, each);
    }
    static void read(WireReader& in, std::set<K, Rest...>& value) {
        value.clear();
        for (std::size_t left = in.count(); left > 0; --left) {
            K each{};
            read_wire(in, each);
            if (!value.insert(std::move(each)).second) in.fail("an element is there twice");
        }
    }
};

template <typename T>
struct Wire<std::shared_ptr<const T>> {
    static_assert(HasFields<T>, "what grows while others read it is no value: it does not travel");
    static void write(WireWriter& out, const std::shared_ptr<const T>& value) {
        write_wire(out, value != nullptr);
        if (value != nullptr) write_wire(out, *value);
    }
    static void read(WireReader& in, std::shared_ptr<const T>& value) {
        value.reset();
        if (!in.flag()) return;
        auto read = std::make_shared<T>();
        read_wire(in, *read);
        value = std::move(read);
    }
};

// Says which of several live things is meant, in the process where they are: elsewhere it is none of them.
template <typename T>
struct Wire<std::weak_ptr<T>> {
    static void write(WireWriter&, const std::weak_ptr<T>&) {}
    static void read(WireReader&, std::weak_ptr<T>& value) { value.reset(); }
};

template <HasFields T>
struct Wire<T> {
    static_assert(!std::is_aggregate_v<T> || kFieldsListed<T> == field_count<T>(), "fields() leaves one out");

    static void write(WireWriter& out, const T& value) {
        std::apply([&](const auto&... each) { (write_wire(out, each), ...); }, fields(value));
    }
    static void read(WireReader& in, T& value) {
        const WireReader::Deeper deeper(in);
        std::apply([&](auto&... each) { (read_wire(in, each), ...); }, fields(value));
    }
};

}  // namespace loupe::session
