// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/gguf_parts.h"

#include <bit>
#include <stdexcept>
#include <utility>

namespace loupe::fuzz {
namespace {

constexpr std::uint32_t kText = 8, kList = 9;
constexpr std::size_t kAlignment = 32;  // of the fixtures

std::string little(std::uint64_t value, std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
    return out;
}

std::string counted(const std::string& text) { return little(text.size(), 8) + text; }

class Cursor {
  public:
    explicit Cursor(const std::string& bytes) : bytes_(bytes) {}

    std::size_t at() const { return at_; }
    std::string take(std::size_t size) {
        if (size > bytes_.size() - at_) throw std::runtime_error("the original is no sound GGUF file");
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }
    std::uint64_t number(std::size_t size) {
        std::uint64_t out = 0;
        const std::string bytes = take(size);
        for (std::size_t i = 0; i < size; ++i)
            out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
        return out;
    }
    std::string text() { return take(number(8)); }
    void skip_value(std::uint32_t type) {
        static constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
        if (type == kText) {
            take(number(8));
        } else if (type == kList) {
            const auto element = static_cast<std::uint32_t>(number(4));
            for (std::uint64_t n = number(8); n > 0; --n) skip_value(element);
        } else {
            take(kSizes[type % 13]);
        }
    }

  private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

}  // namespace

bool is_gguf(const std::string& bytes) { return bytes.starts_with("GGUF\x02") || bytes.starts_with("GGUF\x03"); }

GgufParts gguf_parts_of(const std::string& bytes) {
    Cursor cursor(bytes);
    GgufParts out;
    cursor.take(4);
    out.version = static_cast<std::uint32_t>(cursor.number(4));
    const std::uint64_t tensors = cursor.number(8), pairs = cursor.number(8);
    for (std::uint64_t i = 0; i < pairs; ++i) {
        GgufPair pair;
        pair.key = cursor.text();
        pair.type = static_cast<std::uint32_t>(cursor.number(4));
        const std::size_t begin = cursor.at();
        cursor.skip_value(pair.type);
        pair.value = bytes.substr(begin, cursor.at() - begin);
        out.pairs.push_back(std::move(pair));
    }
    for (std::uint64_t i = 0; i < tensors; ++i) {
        GgufEntry entry;
        entry.name = cursor.text();
        for (std::uint64_t d = cursor.number(4); d > 0; --d) entry.sizes.push_back(cursor.number(8));
        entry.type = static_cast<std::uint32_t>(cursor.number(4));
        entry.begin = cursor.number(8);
        out.tensors.push_back(std::move(entry));
    }
    const std::size_t data = (cursor.at() + kAlignment - 1) / kAlignment * kAlignment;
    if (data < bytes.size()) out.data = bytes.substr(data);
    return out;
}

std::string gguf_of(const GgufParts& parts) {
    std::string out =
        "GGUF" + little(parts.version, 4) + little(parts.tensors.size(), 8) + little(parts.pairs.size(), 8);
    for (const GgufPair& pair : parts.pairs) out += counted(pair.key) + little(pair.type, 4) + pair.value;
    for (const GgufEntry& entry : parts.tensors) {
        out += counted(entry.name) + little(entry.sizes.size(), 4);
        for (const std::uint64_t size : entry.sizes) out += little(size, 8);
        out += little(entry.type, 4) + little(entry.begin, 8);
    }
    out.resize((out.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
    return out + parts.data;
}

GgufPair gguf_u32(std::string key, std::uint32_t value) { return {std::move(key), 4, little(value, 4)}; }
GgufPair gguf_u64(std::string key, std::uint64_t value) { return {std::move(key), 10, little(value, 8)}; }
GgufPair gguf_f32(std::string key, float value) {
    return {std::move(key), 6, little(std::bit_cast<std::uint32_t>(value), 4)};
}
GgufPair gguf_text(std::string key, const std::string& value) { return {std::move(key), kText, counted(value)}; }
GgufPair gguf_texts(std::string key, const std::vector<std::string>& values) {
    std::string list = little(kText, 4) + little(values.size(), 8);
    for (const std::string& value : values) list += counted(value);
    return {std::move(key), kList, std::move(list)};
}

}  // namespace loupe::fuzz
