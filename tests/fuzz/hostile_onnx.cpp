// SPDX-License-Identifier: Apache-2.0
// ONNX models without inputs: x is a tensor [2, 3] of the file, y what a node makes of it and of numbers.
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz_cases.h"
#include "tests/fuzz/message_parts.h"

namespace loupe::fuzz {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr int kFloat = 1, kInt64 = 7;

std::string numbers_field(int field, const Numbers& numbers) {
    std::string out;
    for (const std::int64_t each : numbers) out += number_field(field, each);
    return out;
}

std::string tensor(const std::string& name, int type, const Numbers& dims, const std::string& raw) {
    return numbers_field(1, dims) + number_field(2, type) + bytes_field(8, name) + bytes_field(9, raw);
}

std::string int_tensor(const std::string& name, const Numbers& values, bool is_scalar = false) {
    std::string raw;
    for (const std::int64_t each : values)
        for (int i = 0; i < 8; ++i) raw += static_cast<char>((static_cast<std::uint64_t>(each) >> (8 * i)) & 0xff);
    return tensor(name, kInt64, is_scalar ? Numbers{} : Numbers{static_cast<std::int64_t>(values.size())}, raw);
}

std::string floats(std::size_t count) { return std::string(count * 4, '\0'); }
std::string x_tensor() { return tensor("x", kFloat, {2, 3}, floats(6)); }

std::string int_attribute(const std::string& name, std::int64_t value) {
    return bytes_field(5, bytes_field(1, name) + number_field(3, value) + number_field(20, 2));
}
std::string ints_attribute(const std::string& name, const Numbers& values) {
    return bytes_field(5, bytes_field(1, name) + numbers_field(8, values) + number_field(20, 7));
}
std::string float_attribute(const std::string& name, float value) {
    return bytes_field(5, bytes_field(1, name) + float_field(2, value) + number_field(20, 1));
}
std::string text_attribute(const std::string& name, const std::string& value) {
    return bytes_field(5, bytes_field(1, name) + bytes_field(4, value) + number_field(20, 3));
}
std::string graph_attribute(const std::string& name, const std::string& graph) {
    return bytes_field(5, bytes_field(1, name) + bytes_field(6, graph) + number_field(20, 5));
}
std::string tensor_attribute(const std::string& name, const std::string& value) {
    return bytes_field(5, bytes_field(1, name) + bytes_field(5, value) + number_field(20, 4));
}

// What a graph holds, each as its field.
std::string node(const std::string& kind, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs, const std::string& attributes = {},
                 const std::string& domain = {}) {
    std::string out;
    for (const std::string& each : inputs) out += bytes_field(1, each);
    for (const std::string& each : outputs) out += bytes_field(2, each);
    out += bytes_field(4, kind) + attributes;
    if (!domain.empty()) out += bytes_field(7, domain);
    return bytes_field(1, out);
}
std::string initializer(const std::string& of) { return bytes_field(5, of); }
std::string input(const std::string& name) { return bytes_field(11, bytes_field(1, name)); }
std::string output(const std::string& name) { return bytes_field(12, bytes_field(1, name)); }

std::string model(const std::string& graph, const std::string& more = {}, std::int64_t opset = 20,
                  std::int64_t ir = 10) {
    return number_field(1, ir) + bytes_field(7, graph) + bytes_field(8, number_field(2, opset)) + more;
}

// y of one node, which reads x and these numbers.
std::string of_node(const std::string& kind, const std::vector<Numbers>& numbers, const std::string& attributes = {},
                    std::int64_t opset = 20) {
    std::vector<std::string> inputs{"x"};
    std::string graph = initializer(x_tensor());
    for (const Numbers& each : numbers) {
        inputs.push_back("n" + std::to_string(inputs.size()));
        graph += initializer(int_tensor(inputs.back(), each));
    }
    return model(node(kind, inputs, {"y"}, attributes) + graph + output("y"), {}, opset);
}

// y of one node that reads numbers alone.
std::string of_numbers(const std::string& kind, const std::vector<Numbers>& numbers, bool are_scalars,
                       const std::string& attributes = {}) {
    std::vector<std::string> inputs;
    std::string graph;
    for (const Numbers& each : numbers) {
        inputs.push_back("n" + std::to_string(inputs.size()));
        graph += initializer(int_tensor(inputs.back(), each, are_scalars));
    }
    return model(node(kind, inputs, {"y"}, attributes) + graph + output("y"));
}

std::string function(const std::string& name, const std::string& nodes) {
    return bytes_field(25, bytes_field(1, name) + bytes_field(4, "a") + bytes_field(5, "b") + nodes +
                               bytes_field(9, number_field(2, 20)) + bytes_field(10, "my"));
}

// Nodes of functions are field 7.
std::string in_function(const std::string& kind, const std::string& from, const std::string& to) {
    return bytes_field(7, bytes_field(1, from) + bytes_field(2, to) + bytes_field(4, kind) + bytes_field(7, "my"));
}

std::string calling(const std::string& functions) {
    return model(node("F0", {"x"}, {"y"}, {}, "my") + initializer(x_tensor()) + output("y"),
                 functions + bytes_field(8, bytes_field(1, "my") + number_field(2, 1)));
}

std::string nested_choices(int depth) {
    std::string graph = node("Identity", {"x"}, {"y"}) + output("y");
    const std::string yes = tensor("c", 9, {}, "\1");
    for (int i = 0; i < depth; ++i) {
        const std::string both = graph_attribute("then_branch", graph) + graph_attribute("else_branch", graph);
        graph =
            node("Constant", {}, {"c"}, tensor_attribute("value", yes)) + node("If", {"c"}, {"y"}, both) + output("y");
        if (graph.size() > 500'000) break;  // each doubles it
    }
    return model(graph + initializer(x_tensor()));
}

std::string loop(std::int64_t most, const std::string& body) {
    return model(node("Loop", {"m", "", "x"}, {"last", "y"}, graph_attribute("body", body)) + initializer(x_tensor()) +
                 initializer(int_tensor("m", {most}, true)) + output("y"));
}

std::string external(const std::string& location, const std::string& offset, const std::string& length) {
    const auto entry = [](const char* key, const std::string& value) {
        return bytes_field(13, bytes_field(1, key) + bytes_field(2, value));
    };
    const std::string far = numbers_field(1, {2, 3}) + number_field(2, kFloat) + bytes_field(8, "x") +
                            entry("location", location) + entry("offset", offset) + entry("length", length) +
                            number_field(14, 1);
    return model(node("Neg", {"x"}, {"y"}) + initializer(far) + output("y"));
}

std::string sparse(const Numbers& dims, const Numbers& places, const Numbers& shape_of_places) {
    const std::string indices = int_tensor("", places);
    std::string of_places = indices;
    if (!shape_of_places.empty()) {
        const std::string raw = indices.substr(indices.rfind('\x4a'));
        of_places = numbers_field(1, shape_of_places) + number_field(2, kInt64) + raw;
    }
    const std::string values = tensor("x", kFloat, {2}, floats(2));
    return model(node("Neg", {"x"}, {"y"}) + output("y") +
                 bytes_field(15, bytes_field(1, values) + bytes_field(2, of_places) + numbers_field(3, dims)));
}

void visit_structures(const Visit& visit) {
    const std::string body = input("i") + input("c") + input("s") + output("c") + output("s") + output("s");
    std::string doubling, chain;
    for (int i = 0; i < 60; ++i) {
        const std::string next = "F" + std::to_string(i + 1);
        doubling += function("F" + std::to_string(i), in_function(next, "a", "h") + in_function(next, "h", "b"));
    }
    for (int i = 0; i < 2000; ++i)
        chain += function("F" + std::to_string(i), in_function("F" + std::to_string(i + 1), "a", "b"));
    const std::map<std::string, std::string> files{
        {"nothing wrong", of_node("Neg", {})},
        {"nothing", ""},
        {"no graph", number_field(1, 10)},
        {"newest opset", model(node("Neg", {"x"}, {"y"}) + initializer(x_tensor()) + output("y"), {}, 9999)},
        {"negative opset", model(node("Neg", {"x"}, {"y"}) + initializer(x_tensor()) + output("y"), {}, -1)},
        {"newest IR", model(node("Neg", {"x"}, {"y"}) + initializer(x_tensor()) + output("y"), {}, 20, 9999)},
        {"unknown fields", of_node("Neg", {}) + bytes_field(900, "new") + number_field(901, 3)},
        {"unknown operator", of_node("NoSuchThing", {{1}})},
        {"unknown domain", model(node("Neg", {"x"}, {"y"}, {}, "somewhere") + initializer(x_tensor()) + output("y"))},
        {"node that reads itself", model(node("Neg", {"y"}, {"y"}) + output("y"))},
        {"nodes that read each other", model(node("Neg", {"b"}, {"a"}) + node("Neg", {"a"}, {"b"}) + output("b"))},
        {"two nodes of one name",
         model(node("Neg", {"x"}, {"y"}) + node("Abs", {"x"}, {"y"}) + initializer(x_tensor()) + output("y"))},
        {"output that no node gives", model(initializer(x_tensor()) + output("z"))},
        {"no outputs", model(node("Neg", {"x"}, {"y"}) + initializer(x_tensor()))},
        {"function that calls itself", calling(function("F0", in_function("F0", "a", "b")))},
        {"functions in a circle",
         calling(function("F0", in_function("F1", "a", "b")) + function("F1", in_function("F0", "a", "b")))},
        {"functions that double", calling(doubling)},
        {"chain of functions", calling(chain)},
        {"nested choices", nested_choices(60)},
        {"deep types", model(initializer(x_tensor()) + output("x") +
                             bytes_field(11,
                                         [] {
                                             std::string type = bytes_field(1, number_field(1, kFloat));
                                             for (int i = 0; i < 5000; ++i) type = bytes_field(4, bytes_field(1, type));
                                             return bytes_field(1, "deep") + bytes_field(2, type);
                                         }()))},
        {"loop without an end", loop(kMost, body)},
        {"loop of negative turns", loop(kLeast, body)},
        {"loop whose body takes nothing", loop(3, output("c"))},
        {"loop whose body gives what it lacks",
         loop(3, input("i") + input("c") + input("s") + output("c") + output("zzz") + output("s"))},
        {"loop whose body reads its own result", loop(3, node("Neg", {"y"}, {"q"}) + body)},
        {"choice without branches", model(node("If", {"x"}, {"y"}) + initializer(x_tensor()) + output("y"))},
        {"scan of more than there is",
         of_node("Scan", {{1}}, graph_attribute("body", body) + int_attribute("num_scan_inputs", kHuge))},
        {"scan of a negative count",
         of_node("Scan", {{1}}, graph_attribute("body", body) + int_attribute("num_scan_inputs", -1))},
    };
    for (const auto& [name, bytes] : files) visit("ONNX: " + name, ".onnx", bytes);
}

void visit_tensors_of_file(const Visit& visit) {
    const auto of = [](const Numbers& dims, const std::string& raw, int type = kFloat) {
        return model(node("Identity", {"x"}, {"y"}) + initializer(tensor("x", type, dims, raw)) + output("y"));
    };
    const std::map<std::string, std::string> files{
        {"huge shape", of({kHuge, 4}, floats(6))},
        {"shape whose product is 0 by overflow", of({kHuge, 4, 4}, "")},
        {"negative shape", of({-2, -3}, floats(6))},
        {"nothing of huge shape", of({0, kHuge, kHuge}, "")},
        {"hundred dimensions", of(Numbers(100, 1), floats(1))},
        {"short data", of({2, 3}, floats(5))},
        {"long data", of({2, 3}, floats(7))},
        {"no data", model(node("Neg", {"x"}, {"y"}) + output("y") +
                          initializer(numbers_field(1, {2, 3}) + number_field(2, kFloat) + bytes_field(8, "x")))},
        {"unknown type", of({2, 3}, floats(6), 99)},
        {"type of none", of({2, 3}, floats(6), 0)},
        {"half bytes of a huge shape", of({kHuge}, "1", 22)},
        {"half bytes", of({3}, "1", 22)},
        {"texts as bytes", of({3}, "1", 8)},
        {"sparse, beyond its end", sparse({4}, {1, 9}, {})},
        {"sparse, before its begin", sparse({4}, {-1, 2}, {})},
        {"sparse, huge", sparse({kHuge, kHuge}, {1, 2}, {})},
        {"sparse, more places than values", sparse({4}, {1, 2, 3}, {})},
        {"sparse, places of other rank", sparse({2, 2}, {1, 0, 0, 1}, {2, 2})},
        {"sparse, places of huge shape", sparse({2, 2}, {1, 0, 0, 1}, {kHuge, 4})},
        {"outside by its path", external("/etc/passwd", "0", "24")},
        {"outside by dots", external("../../../../../../etc/passwd", "0", "24")},
        {"outside by the folder", external(".", "0", "24")},
        {"outside without a name", external("", "0", "24")},
        {"outside with a zero", external(std::string("a\0b", 3), "0", "24")},
        {"outside and missing", external("missing.data", "0", "24")},
        {"outside in itself, negative", external("case.onnx", "-8", "24")},
        {"outside in itself, far away", external("case.onnx", "9223372036854775807", "24")},
        {"outside in itself, long", external("case.onnx", "0", "18446744073709551615")},
        {"outside in itself, no number", external("case.onnx", "x", "y")},
        {"outside in itself, unaligned", external("case.onnx", "1", "24")},
    };
    for (const auto& [name, bytes] : files) visit("ONNX: tensor " + name, ".onnx", bytes);
}

void visit_operators(const Visit& visit) {
    const auto ints = ints_attribute;
    const std::map<std::string, std::string> files{
        {"Tile of huge repeats", of_node("Tile", {{kHuge, kHuge}})},
        {"Tile of negative repeats", of_node("Tile", {{-1, 2}})},
        {"Expand to huge", of_node("Expand", {{kHuge, 2, 3}})},
        {"Expand to negative", of_node("Expand", {{-5, 2, 3}})},
        {"Reshape by two unknown", of_node("Reshape", {{-1, -1}})},
        {"Reshape by zeros", of_node("Reshape", {{0, 0, 0, 0}})},
        {"Reshape to overflow", of_node("Reshape", {{kHuge, 4, kHuge}})},
        {"Slice of step 0", of_node("Slice", {{0}, {2}, {0}, {0}})},
        {"Slice of the smallest step", of_node("Slice", {{kMost}, {kLeast}, {0}, {kLeast}})},
        {"Slice of an axis twice", of_node("Slice", {{0, 0}, {1, 1}, {0, 0}})},
        {"Slice of lists of other sizes", of_node("Slice", {{0, 0, 0}, {1}, {0, 1}})},
        {"Gather beyond the end", of_node("Gather", {{7}})},
        {"Gather of a far axis", of_node("Gather", {{0}}, int_attribute("axis", kLeast))},
        {"GatherND without indices", of_node("GatherND", {{}})},
        {"Pad by huge numbers", of_node("Pad", {{kMost, 0, kMost, 0}})},
        {"Pad by negative numbers", of_node("Pad", {{-9, -9, kLeast, 0}})},
        {"Pad by too few", of_node("Pad", {{1}})},
        {"TopK of huge k", of_node("TopK", {{kHuge}})},
        {"TopK of negative k", of_node("TopK", {{-1}})},
        {"Split into huge parts", of_node("Split", {{kMost, 3}})},
        {"Split into negative parts", of_node("Split", {{-1, 3}})},
        {"Split into none", of_node("Split", {}, int_attribute("num_outputs", 0))},
        {"Split into 2^40", of_node("Split", {}, int_attribute("num_outputs", std::int64_t{1} << 40))},
        {"Unsqueeze of far axes", of_node("Unsqueeze", {{kHuge}})},
        {"Unsqueeze of an axis twice", of_node("Unsqueeze", {{0, 0}})},
        {"Squeeze of far axes", of_node("Squeeze", {{kLeast}})},
        {"Transpose by other numbers", of_node("Transpose", {}, ints("perm", {0, 0}))},
        {"Transpose by far numbers", of_node("Transpose", {}, ints("perm", {kMost, kLeast}))},
        {"Concat of a far axis", of_node("Concat", {{1}}, int_attribute("axis", kMost))},
        {"Flatten at a far axis", of_node("Flatten", {}, int_attribute("axis", kLeast))},
        {"Range of 2^62", of_numbers("Range", {{0}, {kHuge}, {1}}, true)},
        {"Range of step 0", of_numbers("Range", {{0}, {5}, {0}}, true)},
        {"Range of the whole", of_numbers("Range", {{kLeast}, {kMost}, {1}}, true)},
        {"ConstantOfShape of 2^62", of_numbers("ConstantOfShape", {{kHuge, kHuge}}, false)},
        {"ConstantOfShape of less than none", of_numbers("ConstantOfShape", {{-3}}, false)},
        {"OneHot of depth 2^62", of_numbers("OneHot", {{1}, {kHuge}, {0, 1}}, false)},
        {"EyeLike of a far diagonal", of_node("EyeLike", {}, int_attribute("k", kLeast))},
        {"Trilu of a far diagonal", of_node("Trilu", {{kLeast}})},
        {"DepthToSpace of no blocks", of_node("DepthToSpace", {}, int_attribute("blocksize", 0))},
        {"SpaceToDepth of huge blocks", of_node("SpaceToDepth", {}, int_attribute("blocksize", kHuge))},
    };
    for (const auto& [name, bytes] : files) visit("ONNX: " + name, ".onnx", bytes);
}

void visit_more_operators(const Visit& visit) {
    const auto ints = ints_attribute;
    const std::map<std::string, std::string> files{
        {"MaxPool without a kernel", of_node("MaxPool", {})},
        {"MaxPool of kernel 0", of_node("MaxPool", {}, ints("kernel_shape", {0}) + ints("strides", {0}))},
        {"AveragePool of huge pads",
         of_node("AveragePool", {}, ints("kernel_shape", {2}) + ints("pads", {kMost, kMost}))},
        {"Conv of group 0", of_node("Conv", {{1}}, int_attribute("group", 0))},
        {"Conv of negative strides", of_node("Conv", {{1}}, ints("strides", {-1}) + ints("dilations", {0}))},
        {"LSTM of a negative size", of_node("LSTM", {{1}, {1}}, int_attribute("hidden_size", -1))},
        {"Einsum without an equation", of_node("Einsum", {}, text_attribute("equation", ""))},
        {"Einsum of dots", of_node("Einsum", {}, text_attribute("equation", "......ijklmnopq->->"))},
        {"Resize by 10^30", of_node("Resize", {}, {})},
        {"Cast to an unknown type", of_node("Cast", {}, int_attribute("to", 77))},
        {"Cast to a type beyond 32 bits", of_node("Cast", {}, int_attribute("to", (std::int64_t{1} << 32) + 1))},
        {"LpNormalization of p 0", of_node("LpNormalization", {}, int_attribute("p", 0))},
        {"ReduceSum of a far axis", of_node("ReduceSum", {{kHuge}})},
        {"ReduceMax of axes twice", of_node("ReduceMax", {{0, 0}})},
        {"CumSum of a far axis", of_node("CumSum", {{kHuge}})},
        {"BitShift beyond the width", of_numbers("BitShift", {{1}, {200}}, false, text_attribute("direction", "LEFT"))},
        {"Div by 0", of_numbers("Div", {{1}, {0}}, false)},
        {"Div of the smallest number", of_numbers("Div", {{kLeast}, {-1}}, false)},
        {"Mod by 0", of_numbers("Mod", {{1}, {0}}, false)},
        {"Mod of the smallest number", of_numbers("Mod", {{kLeast}, {-1}}, false)},
        {"Pow beyond the end", of_numbers("Pow", {{3}, {kMost}}, false)},
        {"ScatterND far away", of_numbers("ScatterND", {{1, 2}, {kHuge}, {3}}, false)},
        {"ScatterElements far away", of_numbers("ScatterElements", {{1, 2}, {kLeast}, {3}}, false)},
        {"RandomNormal of 2^62", model(node("RandomNormal", {}, {"y"}, ints("shape", {kHuge, 8})) + output("y"))},
        {"Bernoulli of an unknown type", of_node("Bernoulli", {}, int_attribute("dtype", 999))},
        {"HannWindow of 2^62", of_numbers("HannWindow", {{kHuge}}, true)},
        {"HannWindow of less than none", of_numbers("HannWindow", {{-4}}, true)},
        {"DFT of 2^62", of_node("DFT", {{kHuge}})},
        {"Upsample by NaN", of_node("Upsample", {{1}}, text_attribute("mode", "nearest"), 9)},
        {"Softmax of a far axis", of_node("Softmax", {}, int_attribute("axis", kHuge))},
        {"Dropout of opset 1",
         of_node("Dropout", {}, float_attribute("ratio", std::numeric_limits<float>::infinity()), 1)},
        {"Shape beyond both ends", of_node("Shape", {}, int_attribute("start", kLeast) + int_attribute("end", kMost))},
        {"attribute of another type", of_node("Softmax", {}, text_attribute("axis", "one"))},
        {"attribute twice", of_node("Softmax", {}, int_attribute("axis", 0) + int_attribute("axis", 1))},
        {"attribute that is unknown", of_node("Softmax", {}, int_attribute("brand_new", 1))},
        {"attribute that nests", of_node("Constant", {}, graph_attribute("value", nested_choices(3)))},
    };
    for (const auto& [name, bytes] : files) visit("ONNX: " + name, ".onnx", bytes);
}

}  // namespace

void visit_hostile_onnx(const Visit& visit) {
    visit_structures(visit);
    visit_tensors_of_file(visit);
    visit_operators(visit);
    visit_more_operators(visit);
}

}  // namespace loupe::fuzz
