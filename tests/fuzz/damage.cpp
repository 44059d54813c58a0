// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <random>

#include "tests/fuzz/archive_entries.h"
#include "tests/fuzz/fuzz_cases.h"
#include "tests/fuzz/gguf_parts.h"

namespace loupe::fuzz {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// One to four changes: a bit, a byte, or a stretch written over another.
void damage(std::string& bytes, Random& random) {
    if (bytes.empty()) return;
    for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
        const std::size_t at = below(random, bytes.size());
        switch (below(random, 4)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(random());
                break;
            case 2:
                bytes[at] = static_cast<char>(below(random, 2) == 0 ? 0 : 0xff);
                break;
            default: {
                const std::size_t from = below(random, bytes.size());
                const std::size_t size = std::min({below(random, 16), bytes.size() - from, bytes.size() - at});
                bytes.replace(at, size, bytes.substr(from, size));
            }
        }
    }
}

void visit_inner_flips(const std::string& name, const std::string& extension, const std::string& bytes,
                       std::size_t count, const Visit& visit) {
    std::vector<Entry> entries = entries_of(bytes);
    Random random(7);
    std::vector<std::size_t> targets;  // what is parsed, not the elements of tensors
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool is_elements = entries[i].name.find("/data/") != std::string::npos;
        if (!is_elements && !entries[i].text.empty()) targets.push_back(i);
    }
    if (targets.empty()) return;
    for (std::size_t n = 0; n < count; ++n) {
        Entry& entry = entries[targets[below(random, targets.size())]];
        const std::string before = entry.text;
        damage(entry.text, random);
        visit(name + " inner flip " + std::to_string(n) + " in " + entry.name, extension, archive_of(entries));
        entry.text = before;
    }
}

void visit_extremes(const std::string& name, const std::string& extension, const std::string& bytes, std::size_t count,
                    const Visit& visit) {
    constexpr std::array<std::uint32_t, 7> kValues{0, 1, 0x7f, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    // Where the directory and the headers are: at the end and at the start.
    const std::size_t reach = std::min<std::size_t>(bytes.size(), 600);
    Random random(11);
    for (std::size_t n = 0; n < count && bytes.size() >= 8; ++n) {
        const std::size_t at = below(random, 2) == 0 ? below(random, reach) : bytes.size() - 1 - below(random, reach);
        std::string changed = bytes;
        const std::uint32_t value = kValues[below(random, kValues.size())];
        const std::size_t width = std::size_t{1} << below(random, 3);
        for (std::size_t i = 0; i < width && at + i < changed.size(); ++i) {
            changed[at + i] = static_cast<char>((value >> (8 * i)) & 0xff);
        }
        visit(name + " extreme " + std::to_string(n), extension, changed);
    }
}

}  // namespace

void visit_damaged(const std::string& name, const std::string& extension, const std::string& bytes,
                   const Effort& effort, const Visit& visit) {
    for (std::size_t n = 0; n < effort.truncations; ++n) {
        const std::size_t size = bytes.size() * n / effort.truncations;
        visit(name + " cut to " + std::to_string(size), extension, bytes.substr(0, size));
    }
    Random random(3);
    for (std::size_t n = 0; n < effort.flips; ++n) {
        std::string changed = bytes;
        damage(changed, random);
        visit(name + " flip " + std::to_string(n), extension, changed);
    }
    visit_extremes(name, extension, bytes, effort.extremes, visit);
    if (is_archive(bytes)) visit_inner_flips(name, extension, bytes, effort.inner_flips, visit);
    visit_json_changes(name, extension, bytes, effort.changes, visit);
    if (extension == ".onnx") visit_message_changes(name, extension, bytes, effort.changes, visit);
    if (is_gguf(bytes)) visit_gguf_changes(name, extension, bytes, effort.changes, visit);
}

}  // namespace loupe::fuzz
