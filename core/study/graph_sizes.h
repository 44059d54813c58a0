// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sizes that the values of a graph will have on given inputs, before anything is computed: the method is run on
// tensors without elements.

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/fields.h"
#include "core/value/ivalue.h"

namespace loupe::session {

class Program;

struct GraphSizes {
    struct Output {
        std::vector<std::int64_t> shape;
        std::string dtype;  // "float32"; empty: no tensor
    };
    struct Node {
        int node = -1;  // of the GraphModel
        std::vector<Output> outputs;
    };
    std::vector<Output> inputs;  // of the method
    std::vector<Node> nodes;     // those that run; of a loop's, as they are the last time
    std::string error;           // where it ended, and why; empty: at the end of the method
};
auto fields(Like<GraphSizes::Output> auto& it) { return std::tie(it.shape, it.dtype); }
auto fields(Like<GraphSizes::Node> auto& it) { return std::tie(it.node, it.outputs); }
auto fields(Like<GraphSizes> auto& it) { return std::tie(it.inputs, it.nodes, it.error); }

// Modules, arguments and random numbers stay as they are; what the method prints is not seen. Of a program that is
// evaluated its trace is run, not its source: without a trace nothing is known. Ends after half a second.
// Throws Error (Cancelled).
GraphSizes graph_sizes(const std::shared_ptr<Program>& program, const std::string& method,
                       const std::vector<IValue>& arguments);

}  // namespace loupe::session
