// SPDX-License-Identifier: Apache-2.0
#pragma once
// GGUF files as lists, to be written again with other contents: nothing of what is written is checked.

#include <cstdint>
#include <string>
#include <vector>

namespace loupe::fuzz {

struct GgufPair {
    std::string key;
    std::uint32_t type = 0;
    std::string value;  // as its bytes stand in the file
};

struct GgufEntry {
    std::string name;
    std::vector<std::uint64_t> sizes;
    std::uint32_t type = 0;
    std::uint64_t begin = 0;
};

struct GgufParts {
    std::uint32_t version = 3;
    std::vector<GgufPair> pairs;
    std::vector<GgufEntry> tensors;
    std::string data;
};

bool is_gguf(const std::string& bytes);
// Of a file that is sound.
GgufParts gguf_parts_of(const std::string& bytes);
std::string gguf_of(const GgufParts& parts);

// Values as pairs have them.
GgufPair gguf_u32(std::string key, std::uint32_t value);
GgufPair gguf_u64(std::string key, std::uint64_t value);
GgufPair gguf_f32(std::string key, float value);
GgufPair gguf_text(std::string key, const std::string& value);
GgufPair gguf_texts(std::string key, const std::vector<std::string>& values);

}  // namespace loupe::fuzz
