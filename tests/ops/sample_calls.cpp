// SPDX-License-Identifier: Apache-2.0
// sample_calls [edges]: prints the sweep's sample of every operator in every dtype, or the calls at the edge that the
// float32 one leads to; a line of JSON a call, for make_dtype_table.py, make_gradient_table.py and make_edge_table.py
// to repeat with PyTorch.

#include <algorithm>
#include <complex>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/dispatch/functions.h"
#include "tests/ops/dtype_samples.h"

using namespace loupe;
using nlohmann::json;

namespace {

json number_of(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

json json_of(const IValue& value);

json tensor_json(const Tensor& t) {
    const Tensor wide = fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Complex128)), 0);
    json values = json::array();
    for (std::int64_t i = 0; i < wide.numel(); ++i) {
        const auto v = wide.data<std::complex<double>>()[i];
        values.push_back({number_of(v.real()), number_of(v.imag())});
    }
    return {{"dtype", dtype_name(t.dtype())},
            {"sizes", std::vector<std::int64_t>(t.sizes().begin(), t.sizes().end())},
            {"values", values}};
}

json json_of(const IValue& value) {
    if (value.is_tensor()) return tensor_json(value.to_tensor());
    if (value.is_bool()) return value.to_bool();
    if (value.is_int()) return value.to_int();
    if (value.is_double()) return {{"float", number_of(value.to_double())}};
    if (value.is_complex()) return {{"complex", {value.to_complex().real(), value.to_complex().imag()}}};
    if (value.is_string()) return value.to_string();
    if (value.is_list()) {
        json list = json::array();
        for (const IValue& element : value.to_list().elements) list.push_back(json_of(element));
        return list;
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const bool wants_edges = argc > 1 && std::string_view(argv[1]) == "edges";
    for (const Operator* op : all_operators()) {
        if (!is_swept(*op)) continue;
        const auto print = [op](ScalarType dtype, const std::string& edge, const std::vector<IValue>& arguments) {
            json call{{"name", op->schema.name},
                      {"overload", op->schema.overload},
                      {"dtype", dtype_name(dtype)},
                      {"edge", edge},
                      {"arguments", json::array()}};
            for (const IValue& argument : arguments) call["arguments"].push_back(json_of(argument));
            std::printf("%s\n", call.dump().c_str());
        };
        if (wants_edges) {
            for (const EdgeCall& call : edge_calls(*op)) print(ScalarType::Float32, call.name, call.arguments);
            continue;
        }
        const auto print_in = [&](ScalarType dtype) {
            const auto arguments = sample_in(*op, dtype);
            if (!arguments.empty()) print(dtype, {}, arguments);
        };
        std::ranges::for_each(kAllDtypes, print_in);
        std::ranges::for_each(kRareDtypes, print_in);
    }
}
