// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "core/base/ordered_json.h"
#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

using Json = OrderedJson;

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

std::string little(std::uint64_t value) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
    return out;
}

std::string file_of(const std::string& header, std::size_t bytes) {
    return little(header.size()) + header + std::string(bytes, '\0');
}

Json tensor(const char* dtype, const Json& shape, const Json& begin, const Json& end) {
    return {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, end}}};
}

std::string many_names(std::size_t count) {
    const std::string tail = R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    std::string header = "{";
    for (std::size_t i = 0; i < count; ++i) header += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + tail;
    return file_of(header + "}", 0);
}

void visit_headers(const Visit& visit) {
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
    const Json four = tensor("F32", {1}, 0, 4);
    const std::map<std::string, Json> headers{
        {"overlap", {{"a", tensor("F32", {2}, 0, 8)}, {"b", tensor("F32", {1}, 4, 8)}}},
        {"hole", {{"a", four}, {"b", tensor("F32", {1}, 8, 12)}}},
        {"same place twice", {{"a", four}, {"b", four}}},
        {"end before begin", {{"a", tensor("F32", {1}, 4, 0)}}},
        {"beyond the end", {{"a", tensor("F32", {1}, kHuge, kHuge + 4)}}},
        {"huge shape", {{"a", tensor("F32", {kHuge, kHuge, 4}, 0, 4)}}},
        {"nothing of huge shape", {{"a", tensor("F32", {0, kHuge, kHuge}, 0, 0)}}},
        {"nothing of huge shape, last", {{"a", tensor("F32", {kHuge, 0}, 0, 0)}}},
        {"negative shape", {{"a", tensor("F32", {-1}, 0, 4)}}},
        {"fractional shape", {{"a", tensor("F32", {1.5}, 0, 4)}}},
        {"shape of sixty-five ones", {{"a", tensor("F32", Json(std::vector<int>(65, 1)), 0, 4)}}},
        {"places of another type", {{"a", tensor("F32", {1}, "0", nullptr)}}},
        {"three places", {{"a", {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 2, 4}}}}}},
        {"unknown type", {{"a", tensor("F31", {1}, 0, 4)}}},
        {"type of another type", {{"a", {{"dtype", 3}, {"shape", {1}}, {"data_offsets", {0, 4}}}}}},
        {"tensor that is a list", {{"a", {1, 2}}}},
        {"metadata of numbers", {{"__metadata__", {1, 2}}, {"a", four}}},
        {"deep name", {{repeated("a.", 100'000) + "weight", four}}},
        {"empty name", {{"", four}}},
        {"name of dots", {{"...", four}}},
        {"name that is a module too", {{"a", tensor("F32", {1}, 0, 2)}, {"a.b", tensor("F32", {1}, 2, 4)}}},
        {"tensor and module", {{"a.b", four}, {"a.b.c", tensor("F32", {0}, 4, 4)}}},
    };
    for (const auto& [name, header] : headers) visit("weights: " + name, ".safetensors", file_of(header.dump(), 4));
}

void visit_texts(const Visit& visit) {
    const std::map<std::string, std::string> files{
        {"nothing", ""},
        {"no header", little(0)},
        {"header beyond the end", little(1000) + "{}"},
        {"header of 2^63", little(std::uint64_t{1} << 63) + "{}"},
        {"header of 2^64-1", little(~std::uint64_t{0}) + "{}"},
        {"header of the largest size", little(100'000'000) + "{}"},
        {"no JSON", file_of("{\"a\"", 0)},
        {"list", file_of("[]", 0)},
        {"no UTF-8", file_of("{\"\xff\xfe\": 1}", 0)},
        {"nested lists", file_of("{\"a\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}", 0)},
        {"nested objects", file_of(repeated("{\"a\":", 500'000) + "1" + std::string(500'000, '}'), 0)},
        {"many names", many_names(400'000)},
    };
    for (const auto& [name, bytes] : files) visit("weights: " + name, ".safetensors", bytes);
}

void visit_indices(const Visit& visit) {
    const char* kExtension = ".safetensors.index.json";
    Json many = Json::object();
    for (int i = 0; i < 400'000; ++i) many["n" + std::to_string(i)] = "missing.safetensors";
    const std::map<std::string, Json> maps{
        {"shard missing", {{"a", "model-00001-of-00002.safetensors"}}},
        {"shard elsewhere", {{"a", "../../../../etc/passwd"}}},
        {"shard by its whole path", {{"a", "/etc/passwd"}}},
        {"shard that is the folder", {{"a", "."}}},
        {"shard that is the index", {{"a", "case.safetensors.index.json"}}},
        {"shard with a zero", {{"a", std::string("a\0b", 3)}}},
        {"shard without a name", {{"a", ""}}},
        {"shard of a long name", {{"a", std::string(100'000, 'a')}}},
        {"shard that is a number", {{"a", 3}}},
        {"no shards", Json::object()},
        {"list", Json::array({1, 2})},
        {"many names", many},
    };
    for (const auto& [name, map] : maps)
        visit("index: " + name, kExtension, Json({{"metadata", {{"total_size", "x"}}}, {"weight_map", map}}).dump());
    const std::map<std::string, std::string> texts{
        {"no JSON", R"({"weight_map")"},
        {"nested lists", R"({"weight_map":)" + std::string(1'000'000, '[')},
        {"closed nested lists", R"({"weight_map":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}"},
    };
    for (const auto& [name, text] : texts) visit("index: " + name, kExtension, text);
}

}  // namespace

void visit_hostile_weights(const Visit& visit) {
    visit_headers(visit);
    visit_texts(visit);
    visit_indices(visit);
}

}  // namespace loupe::fuzz
