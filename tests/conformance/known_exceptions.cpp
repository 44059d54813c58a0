// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/known_exceptions.h"

#include <sstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"

namespace loupe::conformance {

std::vector<KnownException> read_known_exceptions(const std::filesystem::path& file) {
    std::vector<KnownException> table;
    std::istringstream lines(read_text_file(file));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        KnownException entry;
        std::istringstream words(line);
        words >> entry.op >> entry.which >> std::ws;
        std::getline(words, entry.reason);
        if (entry.reason.empty())
            throw Error(ErrorKind::File, concat("'", line, "' gives no reason"), {.file = file.string()});
        table.push_back(std::move(entry));
    }
    return table;
}

KnownException* find_exception(std::vector<KnownException>& table, const std::string& op, int k,
                               const std::string& dtype) {
    for (KnownException& entry : table) {
        if (entry.op == op && (entry.which == "*" || entry.which == dtype || entry.which == std::to_string(k)))
            return &entry;
    }
    return nullptr;
}

}  // namespace loupe::conformance
