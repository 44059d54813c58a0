// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <random>

#include "core/base/ordered_json.h"
#include "tests/fuzz/archive_entries.h"
#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

using Json = OrderedJson;
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

Json& child(Json& parent, std::size_t at) {
    return parent.is_array() ? parent[at] : std::next(parent.begin(), static_cast<std::ptrdiff_t>(at)).value();
}

struct Place {
    Json* parent;
    std::size_t at;
};

// A value at any depth.
Place some_place(Json& root, Random& random) {
    std::vector<Place> path;
    for (Json* now = &root; now->is_structured() && !now->empty();) {
        path.push_back({now, below(random, now->size())});
        now = &child(*now, path.back().at);
    }
    return path.empty() ? Place{nullptr, 0} : path[below(random, path.size())];
}

Json some_value(Random& random) {
    static const std::vector<Json> kValues{nullptr,
                                           true,
                                           0,
                                           1,
                                           -1,
                                           7,
                                           64,
                                           1e308,
                                           0.5,
                                           "",
                                           "x",
                                           "-1",
                                           "Infinity",
                                           Json::array(),
                                           Json::object(),
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::uint64_t>::max(),
                                           std::int64_t{1} << 62,
                                           std::int64_t{1} << 31};
    return kValues[below(random, kValues.size())];
}

// Operators and expressions that mean something to a reader, in places where they do not stand.
std::string some_text(Random& random) {
    static constexpr std::array kTexts{"torch.ops.prim.If",
                                       "torch.ops.prim.Loop",
                                       "torch.ops.prim.Constant",
                                       "torch.ops.prim.GetAttr",
                                       "torch.ops.prim.SetAttr",
                                       "torch.ops.prim.CallMethod",
                                       "torch.ops.prim.CreateObject",
                                       "torch.ops.prim.ListUnpack",
                                       "torch.ops.prim.ListConstruct",
                                       "torch.ops.prim.TupleUnpack",
                                       "torch.ops.prim.TupleIndex",
                                       "torch.ops.prim.DictConstruct",
                                       "torch.ops.prim.Closure",
                                       "torch.ops.prim.Function",
                                       "torch.ops.prim.Param",
                                       "torch.ops.prim.Return",
                                       "torch.ops.prim.RaiseException",
                                       "torch.ops.prim.Print",
                                       "torch.ops.prim.fork",
                                       "torch.ops.prim.Enter",
                                       "torch.ops.prim.Guard",
                                       "torch.ops.prim.FusionGroup",
                                       "torch.ops.prim.unchecked_cast",
                                       "torch.ops.prim.data",
                                       "torch.ops.aten.wait.default",
                                       "torch.ops.aten.transpose",
                                       "torch.ops.aten.view",
                                       "torch.ops.aten.add.Tensor",
                                       "torch.ops.aten.split.Tensor",
                                       "torch.ops.aten.empty.memory_format",
                                       "torch.ops.aten._exit_autocast",
                                       "torch.ops.higher_order.cond",
                                       "torch.ops.higher_order.while_loop",
                                       "torch.ops.higher_order.scan",
                                       "torch.ops.higher_order.wrap_with_autocast",
                                       "torch.sym_sum",
                                       "torch.sym_ite",
                                       "_operator.pow",
                                       "_operator.getitem",
                                       "math.sqrt",
                                       "#a:b",
                                       "s0*s0**s0 - 9223372036854775807",
                                       "Mod(s0, 0)",
                                       "llama",
                                       "yarn",
                                       "longrope",
                                       "BPE",
                                       "Unigram",
                                       "WordPiece",
                                       "Sequence",
                                       "ByteLevel",
                                       "Metaspace",
                                       "Replace",
                                       "Precompiled",
                                       "TemplateProcessing",
                                       "(a*)*b",
                                       "float8_e4m3fn",
                                       "model-00001-of-00002.safetensors",
                                       "../model.safetensors",
                                       "self",
                                       "weight",
                                       "[1, {\"type\": \"builtins.dict\", \"context\": \"[[]]\"}]"};
    return kTexts[below(random, kTexts.size())];
}

void change(Json& root, Random& random) {
    const auto [parent, at] = some_place(root, random);
    if (parent == nullptr) return;
    Json& value = child(*parent, at);
    switch (below(random, 8)) {
        case 0:
        case 1:
            value = some_value(random);
            break;
        case 2:
        case 3:
            if (const auto [other, where] = some_place(root, random); other != nullptr) {
                Json copy = child(*other, where);  // which may hold the value
                value = std::move(copy);
            }
            break;
        case 4:
            parent->erase(std::next(parent->begin(), static_cast<std::ptrdiff_t>(at)));
            break;
        case 5:
            if (parent->is_array())
                parent->push_back(Json(value));
            else
                (*parent)["added"] = Json(value);
            break;
        case 6:
            value = some_text(random);
            break;
        default: {
            Json inner = value;
            value = below(random, 2) == 0 ? Json::array({inner, inner}) : Json{{"as_int", inner}};
        }
    }
}

// The text with one to three changes; empty when it is no JSON.
std::string changed(const std::string& text, Random& random) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return {};
    for (std::size_t n = 1 + below(random, 3); n > 0; --n) change(json, random);
    return json.dump();
}

std::string with_length(const std::string& header) {
    std::string out;
    for (int i = 0; i < 8; ++i) out += static_cast<char>((header.size() >> (8 * i)) & 0xff);
    return out + header;
}

}  // namespace

void visit_json_changes(const std::string& name, const std::string& extension, const std::string& bytes,
                        std::size_t count, const Visit& visit, std::uint64_t seed) {
    Random random(13 + seed);
    if (extension == ".safetensors" && bytes.size() > 8) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 8; ++i)
            length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
        const std::string header = bytes.substr(8, length), data = bytes.substr(std::min(8 + length, bytes.size()));
        for (std::size_t n = 0; n < count; ++n)
            visit(name + " JSON change " + std::to_string(n), extension, with_length(changed(header, random)) + data);
    }
    if (extension == ".json") {
        for (std::size_t n = 0; n < count; ++n)
            visit(name + " JSON change " + std::to_string(n), extension, changed(bytes, random));
    }
    if (!is_archive(bytes)) return;
    std::vector<Entry> entries = entries_of(bytes);
    std::vector<std::size_t> targets;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].name.ends_with(".json")) targets.push_back(i);
    }
    for (std::size_t n = 0; n < count && !targets.empty(); ++n) {
        // Most changes to the program, the largest.
        std::size_t target = targets[below(random, targets.size())];
        for (const std::size_t each : targets) {
            if (below(random, 2) == 0 && entries[each].text.size() > entries[target].text.size()) target = each;
        }
        const std::string before = entries[target].text;
        entries[target].text = changed(before, random);
        visit(name + " JSON change " + std::to_string(n) + " in " + entries[target].name, extension,
              archive_of(entries));
        entries[target].text = before;
    }
}

}  // namespace loupe::fuzz
