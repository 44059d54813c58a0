// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/greeting.h"

#include <string_view>

#include "core/base/build_facts.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::string_view kName = "tensorloupe-engine ";

}  // namespace

std::string engine_greeting() { return concat(kName, version(), " ", build_id()); }

std::string why_not_taken(const std::string& greeting) {
    const std::string own = engine_greeting();
    if (greeting == own) return {};
    if (!greeting.starts_with(kName))
        return concat("the engine's program is none: it said '", greeting.substr(0, 200), "'");
    const std::string_view rest = std::string_view(greeting).substr(kName.size());
    const std::string_view other = rest.substr(0, rest.find(' '));
    if (other != version())
        return concat("the engine is of version ", other, " and this program of ", version(),
                      ": both must be the same");
    return concat("the engine was built from other sources than this program, both of version ", version(),
                  ": install or build them together");
}

}  // namespace loupe::session
