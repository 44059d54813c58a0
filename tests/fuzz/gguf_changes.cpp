// SPDX-License-Identifier: Apache-2.0
// GGUF files whose metadata and table of tensors are sound in form, and changed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "tests/fuzz/fuzz_cases.h"
#include "tests/fuzz/gguf_parts.h"

namespace loupe::fuzz {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

std::uint64_t some_number(Random& random) {
    constexpr std::array<std::uint64_t, 14> kNumbers{0,
                                                     1,
                                                     2,
                                                     3,
                                                     31,
                                                     64,
                                                     100'000,
                                                     0x7fffffff,
                                                     0xffffffff,
                                                     std::uint64_t{1} << 32,
                                                     std::uint64_t{1} << 62,
                                                     std::numeric_limits<std::int64_t>::max(),
                                                     std::uint64_t{1} << 63,
                                                     ~std::uint64_t{0}};
    return kNumbers[below(random, kNumbers.size())];
}

GgufPair some_value(std::string key, Random& random) {
    static constexpr std::array kTexts{"",     "llama",   "gpt2", "bert",   "t5",       "gemma2",
                                       "phi3", "default", "yarn", "linear", "\xff\xfe", "qwen2"};
    static constexpr std::array<float, 7> kFloats{0.0F, -1.0F, 1e-30F, 1e30F, std::numeric_limits<float>::infinity(),
                                                  NAN,  0.5F};
    switch (below(random, 6)) {
        case 0:
            return gguf_u32(std::move(key), static_cast<std::uint32_t>(some_number(random)));
        case 1:
            return gguf_u64(std::move(key), some_number(random));
        case 2:
            return gguf_f32(std::move(key), kFloats[below(random, kFloats.size())]);
        case 3:
            return gguf_text(std::move(key), kTexts[below(random, kTexts.size())]);
        case 4:
            return {std::move(key), 7, std::string(1, static_cast<char>(below(random, 2)))};
        default:
            return gguf_texts(std::move(key),
                              std::vector<std::string>(below(random, 4), kTexts[below(random, kTexts.size())]));
    }
}

void change_pair(std::vector<GgufPair>& pairs, Random& random) {
    if (pairs.empty()) return;
    GgufPair& pair = pairs[below(random, pairs.size())];
    const GgufPair& other = pairs[below(random, pairs.size())];
    switch (below(random, 5)) {
        case 0:
        case 1:
            pair = some_value(pair.key, random);
            break;
        case 2: {
            GgufPair copy = other;
            copy.key = pair.key;
            pair = std::move(copy);
            break;
        }
        case 3:
            pairs.erase(pairs.begin() + (&pair - pairs.data()));
            break;
        default:  // bytes of its value
            if (!pair.value.empty() && pair.type != 8)
                pair.value[below(random, pair.value.size())] = static_cast<char>(random());
    }
}

void change_tensor(std::vector<GgufEntry>& tensors, Random& random) {
    if (tensors.empty()) return;
    GgufEntry& entry = tensors[below(random, tensors.size())];
    const GgufEntry other = tensors[below(random, tensors.size())];
    switch (below(random, 8)) {
        case 0:
            entry.type = static_cast<std::uint32_t>(below(random, 45));
            break;
        case 1:
            entry.sizes = other.sizes;
            break;
        case 2:
            if (!entry.sizes.empty()) entry.sizes[below(random, entry.sizes.size())] = some_number(random);
            break;
        case 3:
            entry.sizes.resize(below(random, 6), 1);
            break;
        case 4:
            std::swap(entry.name, tensors[below(random, tensors.size())].name);
            break;
        case 5:
            tensors.erase(tensors.begin() + (&entry - tensors.data()));
            break;
        case 6:
            entry.begin = below(random, 2) == 0 ? other.begin : some_number(random) / 32 * 32;
            break;
        default:
            std::reverse(entry.sizes.begin(), entry.sizes.end());
    }
}

}  // namespace

void visit_gguf_changes(const std::string& name, const std::string& extension, const std::string& bytes,
                        std::size_t count, const Visit& visit, std::uint64_t seed) {
    const GgufParts original = gguf_parts_of(bytes);
    Random random(19 + seed);
    for (std::size_t n = 0; n < count; ++n) {
        GgufParts parts = original;
        for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) {
            if (below(random, 5) < 3)
                change_pair(parts.pairs, random);
            else
                change_tensor(parts.tensors, random);
        }
        visit(name + " GGUF change " + std::to_string(n), extension, gguf_of(parts));
    }
}

}  // namespace loupe::fuzz
