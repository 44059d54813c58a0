// SPDX-License-Identifier: Apache-2.0
// Traces of a profiler and memory snapshots that no profiler writes.
#include <map>

#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

std::string trace(const std::string& events) { return "{\"schemaVersion\":1,\"traceEvents\":[" + events + "]}"; }

void visit_traces(const Visit& visit) {
    const std::string zone = R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
    const std::map<std::string, std::string> files{
        {"no events", trace("")},
        {"events of numbers", trace("1,2,3")},
        {"times at the ends of doubles",
         trace(
             R"({"ph":"X","ts":1e308,"dur":1e308},{"ph":"X","ts":-1e308,"dur":1e308},{"ph":"X","ts":1e-320,"dur":0})")},
        {"times that are none", trace(R"({"ph":"X","ts":NaN,"dur":1},{"ph":"X","ts":1,"dur":Infinity},)" + zone)},
        {"negative times", trace(R"({"ph":"X","ts":-5,"dur":-5},)" + zone)},
        {"nested deeply in time",
         [] {
             std::string events;
             for (int i = 0; i < 20000; ++i) {
                 events += i == 0 ? "" : ",";
                 events += R"({"ph":"X","name":"n","ts":)" + std::to_string(i) + R"(,"dur":)" +
                           std::to_string(100000 - 2 * i) + "}";
             }
             return trace(events);
         }()},
        {"nested deeply in text", trace(R"({"ph":"X","ts":1,"dur":1,"args":)" + repeated("[", 100000) + "}")},
        {"ends without begins", trace(repeated(R"({"ph":"E","ts":1},)", 1000) + zone)},
        {"begins without ends", trace(repeated(R"({"ph":"B","ts":1,"name":"b"},)", 1000) + zone)},
        {"links to nowhere", trace(repeated(R"({"ph":"f","id":1,"ts":9e9,"cat":"ac2g"},)", 1000) + zone)},
        {"links of lists", trace(R"({"ph":"s","id":[1],"pid":{},"tid":null,"ts":1,"cat":2},)" + zone)},
        {"counters of many names",
         [&] {
             std::string events;
             for (int i = 0; i < 5000; ++i)
                 events += R"({"ph":"C","name":"c)" + std::to_string(i) + R"(","ts":1,"args":{"v":1e300}},)";
             return trace(events + zone);
         }()},
        {"memory of texts",
         trace(R"({"ph":"i","name":"[memory]","ts":1,"args":{"Device Type":"x","Bytes":"y"}},)" + zone)},
        {"memory of infinite devices",
         trace(R"({"ph":"i","name":"[memory]","ts":1,"args":{"Device Type":1e300,"Device Id":-1e300,"Bytes":1}},)" +
               zone)},
        {"a list at the root", "[" + zone + "," + zone},
        {"cut off in a text", trace(zone).substr(0, 60)},
    };
    for (const auto& [name, bytes] : files) visit("trace: " + name, ".json", bytes);
}

// Of protocol 4.
std::string text(const std::string& value) { return std::string("\x8c") + static_cast<char>(value.size()) + value; }
std::string number(std::uint64_t value) {
    std::string out("\x8a\x08", 2);
    for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
}
std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
    std::string out = "}(";
    for (const auto& [key, value] : items) out += text(key) + value;
    return out + "u";
}
std::string snapshot(const std::string& segments, const std::string& devices) {
    return std::string("\x80\x04") + dict({{"segments", segments}, {"device_traces", devices}}) + ".";
}
std::string devices(const std::string& entries) { return "](](" + entries + "ee"; }

void visit_snapshots(const Visit& visit) {
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
    const auto entry = [](const char* action, std::uint64_t addr, std::uint64_t size) {
        return dict({{"action", text(action)}, {"addr", number(addr)}, {"size", number(size)}});
    };
    const std::string alloc = entry("alloc", 4096, 512);
    const std::string shared = dict({{"filename", text("a.py")}, {"line", number(kHuge)}, {"name", "N"}});
    const std::map<std::string, std::string> files{
        {"nothing", snapshot("]", "]")},
        {"numbers for lists", snapshot(number(1), number(2))},
        {"sizes at the ends",
         snapshot("]", devices(entry("alloc", ~0ULL, kHuge) + entry("alloc", ~0ULL, ~0ULL) + alloc))},
        {"addresses at the end",
         snapshot("]", devices(entry("alloc", ~0ULL - 8, 512) + entry("segment_alloc", ~0ULL - 8, 1 << 20) +
                               entry("segment_free", ~0ULL - 8, 1 << 20)))},
        {"many sums", snapshot("]", devices(repeated(entry("segment_alloc", 1, std::uint64_t{1} << 50), 20000)))},
        {"frees alone", snapshot("]", devices(repeated(entry("free_completed", 1, 512), 1000)))},
        {"one address again and again", snapshot("]", devices(repeated(alloc, 10000)))},
        {"segments below zero",
         snapshot("](" + dict({{"total_size", number(~0ULL)}, {"device", number(~0ULL)}, {"address", number(1)}}) +
                      dict({{"total_size", number(512)}, {"device", number(kHuge)}, {"blocks", number(1)}}) + "e",
                  devices(alloc))},
        {"a device with a large number",
         snapshot("](" + dict({{"total_size", number(512)}, {"device", number(1000000)}}) + "e", devices(alloc))},
        {"frames of none", snapshot("]", devices(dict({{"action", text("alloc")},
                                                       {"addr", number(1)},
                                                       {"size", number(1)},
                                                       {"frames", "](" + shared + "NN" + "e"}})))},
        {"a list that contains itself", std::string("\x80\x04]\x94h\x00"
                                                    "a.",
                                                    8)},
        {"a dict as its own key", std::string("\x80\x04}\x94(h\x00h\x00u.", 11)},
        {"segments that contain themselves", std::string("\x80\x04}(\x8c\x08segments]\x94h\x00"
                                                         "a\x8c\x0d"
                                                         "device_tracesh\x00u.",
                                                         41)},
        {"marks alone", std::string("\x80\x04\x8c\x08segments") + repeated("(", 1'000'000)},
        {"lists alone", std::string("\x80\x04\x8c\x08segments") + repeated("]", 1'000'000)},
        {"tuples of tuples", std::string("\x80\x04\x8c\x08segments)") + repeated("\x85", 1'000'000) + "."},
        {"a memo of four billion", std::string("\x80\x04\x8c\x08segmentsr\xff\xff\xff\xff.", 18)},
        {"a text of 2^63 bytes", std::string("\x80\x04\x8c\x08segments\x8d\0\0\0\0\0\0\0\x80.", 21)},
        {"an integer of 2^31 bytes", std::string("\x80\x04\x8c\x08segments\x8b\xff\xff\xff\x7f.", 18)},
        {"a call", std::string("\x80\x04\x8c\x08segments0cos\nsystem\n") + text("true") + "\x85R."},
        {"no end", snapshot("]", devices(alloc)).substr(0, 60)},
    };
    for (const auto& [name, bytes] : files) visit("snapshot: " + name, ".pickle", bytes);
}

}  // namespace

void visit_hostile_profiler(const Visit& visit) {
    visit_traces(visit);
    visit_snapshots(visit);
}

}  // namespace loupe::fuzz
