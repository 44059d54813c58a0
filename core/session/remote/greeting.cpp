// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/greeting.h"

#include <string_view>
#include <vector>

#include "core/base/build_facts.h"
#include "core/base/strings.h"
#include "core/session/remote/protocol.h"

namespace loupe::session {
namespace {

constexpr std::string_view kProgram = "tensorloupe-engine ";

std::string_view word_of(const std::string& greeting, std::size_t index) {
    const auto words = split(greeting, ' ');
    return index < words.size() ? words[index] : std::string_view();
}

std::string no_engine(const std::string& said) {
    return concat("the engine's program is none: it said '", said.substr(0, 200), "'");
}

}  // namespace

std::string engine_greeting() { return concat(kProgram, version(), " ", build_id(), " ", protocol_id()); }

bool is_greeting(const std::string& line) { return line.starts_with(kProgram); }

std::string why_not_taken(const std::string& greeting) {
    if (greeting == engine_greeting()) return {};
    if (!is_greeting(greeting)) return no_engine(greeting);
    const std::string_view other = word_of(greeting, 1);
    if (other != version())
        return concat("the engine is of version ", other, " and this program of ", version(),
                      ": both must be the same");
    return concat("the engine was built from other sources than this program, both of version ", version(),
                  ": install or build them together");
}

std::string why_not_taken_from(const std::string& host, const std::string& greeting) {
    if (!is_greeting(greeting)) return concat(host, ": ", no_engine(greeting));
    const std::string_view other = word_of(greeting, 1);
    if (other != version())
        return concat("the engine on ", host, " is of version ", other, " and this program of ", version(),
                      ": install the same version there; one that still runs is ended by tensorloupe-engine --end");
    if (word_of(greeting, 3) != protocol_id())
        return concat("the engine on ", host, " says its messages in another way, though both are of version ",
                      version(),
                      ": install both from the same sources; one that still runs is ended by tensorloupe-engine --end");
    return {};
}

}  // namespace loupe::session
