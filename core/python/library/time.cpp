// SPDX-License-Identifier: Apache-2.0
// The module time.
#include <array>
#include <chrono>
#include <ctime>
#include <thread>

#include "core/base/cancel.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

double seconds(auto since) { return std::chrono::duration<double>(since).count(); }

}  // namespace

void fill_time(PythonModule& module) {
    const auto steady = [](CallArguments) {
        return IValue(seconds(std::chrono::steady_clock::now().time_since_epoch()));
    };
    for (const char* name : {"perf_counter", "monotonic", "process_time"}) module.define(name, steady);
    module.define("time",
                  [](CallArguments) { return IValue(seconds(std::chrono::system_clock::now().time_since_epoch())); });
    module.define("perf_counter_ns", [](CallArguments) {
        return IValue(static_cast<std::int64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
    });
    const auto now = [] { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); };
    const auto local_time = [now](CallArguments a) {
        const bool is_given = !a.positional.empty() && !a.positional[0].is_none();
        const std::time_t moment = is_given ? static_cast<std::time_t>(to_float(a.positional[0])) : now();
        std::tm parts{};
        localtime_r(&moment, &parts);
        return make_tuple({IValue(parts.tm_year + 1900), IValue(parts.tm_mon + 1), IValue(parts.tm_mday),
                           IValue(parts.tm_hour), IValue(parts.tm_min), IValue(parts.tm_sec),
                           IValue((parts.tm_wday + 6) % 7), IValue(parts.tm_yday + 1), IValue(parts.tm_isdst)});
    };
    module.define("localtime", local_time);
    module.define("gmtime", local_time);
    module.define("strftime", [local_time](CallArguments a) {
        check_positional(a, "strftime", 1, 2);
        const std::vector<IValue> given = to_vector(a.positional.size() > 1 ? a.positional[1] : local_time({}));
        if (given.size() < 9) throw_type_error("function takes exactly 9 arguments");
        const auto part = [&](std::size_t i) { return static_cast<int>(to_index(given[i])); };
        std::tm parts{};
        parts.tm_year = part(0) - 1900;
        parts.tm_mon = part(1) - 1;
        parts.tm_mday = part(2);
        parts.tm_hour = part(3);
        parts.tm_min = part(4);
        parts.tm_sec = part(5);
        parts.tm_wday = (part(6) + 1) % 7;
        parts.tm_yday = part(7) - 1;
        std::array<char, 512> text{};
        const std::size_t size = std::strftime(text.data(), text.size(), str(a.positional[0]).c_str(), &parts);
        return IValue(std::string(text.data(), size));
    });
    module.define("sleep", [](CallArguments a) -> IValue {
        check_positional(a, "sleep", 1, 1);
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(to_float(a.positional[0]));
        while (std::chrono::steady_clock::now() < end) {
            check_cancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return {};
    });
}

}  // namespace loupe::python
