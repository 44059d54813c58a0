// SPDX-License-Identifier: Apache-2.0
// Programs of torch.export: program.json, a sum of an input and a parameter, with one thing wrong in each.
#include <functional>
#include <map>

#include "core/base/file.h"
#include "core/base/ordered_json.h"
#include "tests/fuzz/archive_entries.h"
#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

using Json = OrderedJson;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

struct Parts {
    Json program;
    Json weights;
    std::string payload = std::string(8, '\0');
    std::string archive_version = "0";
    std::vector<Entry> more = {};

    Json& graph() { return program["graph_module"]["graph"]; }
    Json& node() { return graph()["nodes"][0]; }
    Json& weight() { return weights["config"]["p"]; }
    Json& in_spec() { return program["graph_module"]["module_call_graph"][0]["signature"]["in_spec"]; }
};
using Damage = std::function<void(Parts&)>;

Parts sound_parts() {
    const std::string folder = std::string(LOUPE_SOURCE_DIR) + "/tests/fuzz/";
    Parts parts{Json::parse(read_text_file(folder + "program.json")), {}};
    parts.weights["config"]["p"] = {{"path_name", "weight_0"},
                                    {"is_param", true},
                                    {"use_pickle", false},
                                    {"tensor_meta", parts.graph()["tensor_values"]["p"]}};
    return parts;
}

std::string file_of(const Parts& parts) {
    std::vector<Entry> entries{{"m/data/weights/weight_0", parts.payload},
                               {"m/data/weights/model_weights_config.json", parts.weights.dump()},
                               {"m/data/constants/model_constants_config.json", R"({"config": {}})"},
                               {"m/models/model.json", parts.program.dump()},
                               {"m/archive_format", "pt2"},
                               {"m/archive_version", parts.archive_version}};
    entries.insert(entries.end(), parts.more.begin(), parts.more.end());
    return archive_of(entries);
}

Json named(const char* name) { return {{"as_tensor", {{"name", name}}}}; }
Json input(const char* name, const Json& argument) { return {{"name", name}, {"arg", argument}, {"kind", 1}}; }
Json node(const std::string& target, const Json& inputs, const char* output) {
    return {{"target", target},
            {"inputs", inputs},
            {"outputs", Json::array({named(output)})},
            {"metadata", Json::object()}};
}
Json graph(const Json& nodes, const char* output) {
    return {{"inputs", Json::array({named("x")})}, {"outputs", Json::array({named(output)})}, {"nodes", nodes}};
}

// A loop whose condition is a loop, and so on.
Json loop_in_conditions(int depth) {
    Json condition = graph(Json::array(), "x");
    if (depth > 0) condition = graph(Json::array({loop_in_conditions(depth - 1)}), "y");
    return node("torch.ops.higher_order.while_loop",
                Json::array({input("cond_fn", {{"as_graph", {{"name", "c"}, {"graph", condition}}}}),
                             input("body_fn", {{"as_graph", {{"name", "b"}, {"graph", graph(Json::array(), "x")}}}}),
                             input("carried_inputs", {{"as_tensors", Json::array({{{"name", "x"}}})}}),
                             input("additional_inputs", {{"as_tensors", Json::array()}})}),
                "y");
}

std::string spec_with_context(const std::string& context) {
    const Json leaf{{"type", nullptr}, {"context", nullptr}, {"children_spec", Json::array()}};
    const Json spec{{"type", "builtins.dict"}, {"context", context}, {"children_spec", Json::array({leaf})}};
    return Json::array({1, spec}).dump();
}

Json expression(const std::string& text) { return {{"as_expr", {{"expr_str", text}, {"hint", {{"as_int", 2}}}}}}; }

std::string chain(const std::string& part, const std::string& sign, int count) {
    std::string out = part;
    for (int i = 0; i < count; ++i) out += sign + part;
    return out;
}

std::map<std::string, Damage> graph_damages() {
    return {
        {"nothing wrong", [](Parts&) {}},
        {"view of a transpose of nothing",
         [](Parts& p) {
             p.graph()["nodes"] =
                 Json::array({node("torch.ops.aten.transpose", Json::array(), "t"),
                              node("torch.ops.aten.view.default",
                                   Json::array({input("self", named("t")), input("size", {{"as_ints", {2}}})}), "y")});
         }},
        {"node that reads itself", [](Parts& p) { p.node()["inputs"][0]["arg"] = named("y"); }},
        {"output that no node gives", [](Parts& p) { p.graph()["outputs"][0] = named("z"); }},
        {"operator without arguments", [](Parts& p) { p.node()["inputs"] = Json::array(); }},
        {"unknown operator", [](Parts& p) { p.node()["target"] = "torch.ops.mine.thing.default"; }},
        {"argument of an unknown kind",
         [](Parts& p) {
             p.node()["inputs"][0]["arg"] = {{"as_new_thing", 3}};
         }},
        {"loops in conditions", [](Parts& p) { p.graph()["nodes"] = Json::array({loop_in_conditions(30)}); }},
        {"ten thousand outputs",
         [](Parts& p) {
             Json outputs = Json::array();
             for (int i = 0; i < 10'000; ++i) outputs.push_back({{"name", "o" + std::to_string(i)}});
             p.node()["outputs"] = Json::array({{{"as_tensors", outputs}}});
         }},
        {"many values",
         [](Parts& p) {
             for (int i = 0; i < 400'000; ++i) p.graph()["tensor_values"]["n" + std::to_string(i)] = 0;
         }},
        {"deep module",
         [](Parts& p) {
             p.node()["metadata"]["nn_module_stack"] = "L__self__,," + chain("a", ".", 100'000) + ",M";
             p.program["graph_module"]["module_call_graph"].push_back({{"fqn", chain("a", ".", 100'000)}});
         }},
        {"line 2^40 of a file",
         [](Parts& p) { p.node()["metadata"]["stack_trace"] = "File \"m.py\", line 1099511627776, in forward\n y\n"; }},
        {"no input specs", [](Parts& p) { p.program["graph_module"]["signature"]["input_specs"] = Json::array(); }},
        {"parameter twice",
         [](Parts& p) {
             Json& specs = p.program["graph_module"]["signature"]["input_specs"];
             specs.push_back(Json(specs[0]));
         }},
    };
}

std::map<std::string, Damage> size_damages() {
    const auto size = [](const Json& value) {
        return [value](Parts& p) { p.graph()["tensor_values"]["x"]["sizes"][0] = value; };
    };
    return {
        {"long sum", size(expression(chain("s0", " + ", 200'000)))},
        {"long product", size(expression(chain("s0", "*", 200'000)))},
        {"deep sum", size(expression(std::string(200'000, '(') + "s0" + std::string(200'000, ')')))},
        {"smallest number", size(expression("Integer(-9223372036854775808) - Integer(--9223372036854775808)"))},
        {"open expression", size(expression("Symbol('s0'"))},
        {"hint in a hint",
         [](Parts& p) {
             p.weight()["tensor_meta"]["sizes"][0] = {{"as_expr", {{"hint", {{"as_expr", {{"hint", 1}}}}}}}};
         }},
        {"huge weight",
         [](Parts& p) {
             p.weight()["tensor_meta"]["sizes"][0] = {{"as_int", kHuge}};
         }},
        {"weight of huge stride",
         [](Parts& p) {
             p.weight()["tensor_meta"]["strides"][0] = {{"as_int", kHuge}};
         }},
        {"weight that begins far away",
         [](Parts& p) {
             p.weight()["tensor_meta"]["storage_offset"] = {{"as_int", INT64_MAX}};
         }},
        {"weight of negative stride",
         [](Parts& p) {
             p.weight()["tensor_meta"]["strides"][0] = {{"as_int", -1}};
         }},
        {"nothing of huge shape",
         [](Parts& p) {
             Json& meta = p.weight()["tensor_meta"];
             meta["sizes"] = Json::array({{{"as_int", 0}}, {{"as_int", kHuge}}, {{"as_int", kHuge}}});
             meta["strides"] = Json::array({{{"as_int", kHuge}}, {{"as_int", kHuge}}, {{"as_int", 1}}});
             meta["storage_offset"] = {{"as_int", kHuge}};
         }},
        {"fake weight of huge shape",
         [](Parts& p) {
             p.payload.clear();
             p.weight()["tensor_meta"]["sizes"][0] = {{"as_int", std::int64_t{1} << 40}};
         }},
        {"weight of an unknown type", [](Parts& p) { p.weight()["tensor_meta"]["dtype"] = 99; }},
        {"weight of no type", [](Parts& p) { p.weight()["tensor_meta"]["dtype"] = -1; }},
        {"sparse weight", [](Parts& p) { p.weight()["tensor_meta"]["layout"] = 1; }},
        {"short weight", [](Parts& p) { p.payload = "1234"; }},
        {"weight elsewhere", [](Parts& p) { p.weight()["path_name"] = "weight_/../../models/model.json"; }},
        {"pickled weight",
         [](Parts& p) {
             p.weight()["use_pickle"] = true;
             p.payload = "\x80\x02cos\nsystem\nX\x04\0\0\0true\x85R.";
         }},
    };
}

std::map<std::string, Damage> archive_damages() {
    return {
        {"nested keys",
         [](Parts& p) {
             p.in_spec() = spec_with_context("[" + std::string(300'000, '[') + std::string(300'000, ']') + "]");
         }},
        {"nested context", [](Parts& p) { p.in_spec() = spec_with_context(std::string(300'000, '[')); }},
        {"key that is a list", [](Parts& p) { p.in_spec() = spec_with_context("[[1, 2]]"); }},
        {"specification that is no JSON", [](Parts& p) { p.in_spec() = "[1, "; }},
        {"specification without an end", [](Parts& p) { p.in_spec() = chain("[1, {\"type\": \"x\"", ",", 10'000); }},
        {"major version 9", [](Parts& p) { p.program["schema_version"]["major"] = 9; }},
        {"version that is text", [](Parts& p) { p.program["schema_version"]["major"] = "8"; }},
        {"archive version 1", [](Parts& p) { p.archive_version = "1"; }},
        {"archive version without an end", [](Parts& p) { p.archive_version = std::string(1'000'000, '0'); }},
        {"opaque object",
         [](Parts& p) {
             p.weights["config"]["o"] = {{"path_name", "opaque_obj_0"}, {"use_pickle", true}};
         }},
        {"compiled code",
         [](Parts& p) {
             p.more.push_back({"m/data/aotinductor/model/wrapper.so",
                               "\x7f"
                               "ELF"});
         }},
        {"example inputs that call",
         [](Parts& p) {
             p.more.push_back({"m/data/sample_inputs/model.pt",
                               "\x80\x02"
                               "cos\nsystem\n)R."});
         }},
        {"program that is a list",
         [](Parts& p) {
             p.program = Json::array({1, 2});
         }},
        {"program that is a number", [](Parts& p) { p.program = 3; }},
        {"nested program",
         [](Parts& p) {
             Json inner = 1;
             for (int i = 0; i < 2000; ++i) inner = Json::array({std::move(inner)});
             p.program["more"] = std::move(inner);
         }},
    };
}

}  // namespace

void visit_hostile_programs(const Visit& visit) {
    for (const auto& damages : {graph_damages(), size_damages(), archive_damages()}) {
        for (const auto& [name, damage] : damages) {
            Parts parts = sound_parts();
            damage(parts);
            visit("program: " + name, ".pt2", file_of(parts));
        }
    }
    // Every kind of node that graphs have inside, as if it were an operator.
    for (const char* kind : {"If",
                             "Loop",
                             "Constant",
                             "GetAttr",
                             "SetAttr",
                             "CallMethod",
                             "CallFunction",
                             "CreateObject",
                             "ListUnpack",
                             "ListConstruct",
                             "TupleConstruct",
                             "TupleUnpack",
                             "TupleIndex",
                             "TupleSlice",
                             "DictConstruct",
                             "Closure",
                             "Function",
                             "Param",
                             "Return",
                             "RaiseException",
                             "Print",
                             "fork",
                             "Enter",
                             "Exit",
                             "Guard",
                             "BailOut",
                             "FusionGroup",
                             "DifferentiableGraph",
                             "unchecked_cast",
                             "Uninitialized",
                             "isinstance",
                             "data",
                             "device",
                             "dtype",
                             "shape",
                             "requires_grad",
                             "NumToTensor",
                             "AutogradZero",
                             "AutogradAdd",
                             "profile",
                             "min",
                             "max"}) {
        Parts parts = sound_parts();
        parts.node()["target"] = std::string("torch.ops.prim.") + kind;
        visit(std::string("program: node of prim::") + kind, ".pt2", file_of(parts));
        parts.node()["inputs"] = Json::array();
        visit(std::string("program: node of prim::") + kind + " without inputs", ".pt2", file_of(parts));
        parts.node()["outputs"] = Json::array();
        visit(std::string("program: node of prim::") + kind + " without outputs", ".pt2", file_of(parts));
    }
}

}  // namespace loupe::fuzz
