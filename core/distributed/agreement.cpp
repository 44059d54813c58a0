// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/agreement.h"

#include <cstring>

#include "core/base/strings.h"

namespace loupe::distributed {

std::int64_t Announcement::digest() const {
    // FNV-1a.
    std::uint64_t hash = 14695981039346656037ULL ^ sequence;
    for (const std::string* text : {&operation, &detail}) {
        for (const char c : *text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        hash = (hash ^ 255) * 1099511628211ULL;
    }
    return static_cast<std::int64_t>(hash >> 2);
}

std::string Announcement::line() const {
    std::string out = operation;
    if (!detail.empty()) out += concat(" ", detail);
    return concat(out, " (number ", sequence, place.empty() ? "" : concat(", ", place), ")");
}

std::string padded(const std::string& line) {
    std::string out = line.substr(0, kLineBytes - 1);
    out.resize(kLineBytes, '\0');
    return out;
}

std::string unpadded(const char* bytes) { return std::string(bytes, strnlen(bytes, kLineBytes)); }

std::string shape_text(const Tensor& tensor) {
    return concat(dtype_name(tensor.dtype()), " [", join(tensor.sizes(), ", "), "]");
}

std::string shapes_text(const TensorList& tensors) {
    std::string out;
    for (const Tensor& tensor : tensors) out += concat(out.empty() ? "" : ", ", shape_text(tensor));
    return out;
}

std::string disagreement(const std::vector<int>& ranks, const std::vector<std::string>& lines) {
    // By line, in order of the first rank that says it.
    std::vector<std::pair<std::string, std::vector<int>>> groups;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto group = groups.begin();
        while (group != groups.end() && group->first != lines[i]) ++group;
        if (group == groups.end()) group = groups.insert(group, {lines[i], {}});
        group->second.push_back(ranks[i]);
    }
    std::string out = "the ranks disagree on a collective: ";
    constexpr std::size_t kMost = 4;
    for (std::size_t i = 0; i < groups.size() && i < kMost; ++i) {
        const auto& [line, members] = groups[i];
        out += concat(i == 0 ? "" : "; ", members.size() == 1 ? "rank " : "ranks ", join(members, ", "),
                      members.size() == 1 ? " calls " : " call ", line);
    }
    if (groups.size() > kMost) out += concat("; and ", groups.size() - kMost, " more");
    return out;
}

}  // namespace loupe::distributed
