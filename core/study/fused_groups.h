// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a pipeline fused, to be looked at: for each group its operators, the fused expression, the kernel's program,
// LLVM IR and assembly, and its time against the operators one by one.
//
//     session.ask("kernels", FusedGroupsQuery{{.pipeline = "train_fused", .backward = true}}, [](FusedGroups groups)
//     {...});

#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/backward_from.h"
#include "core/model/model_info.h"

namespace loupe::session {

struct FusedGroupsRequest {
    std::string pipeline = "inference";  // one of list_pipelines()
    std::string method = "forward";
    bool backward = false;  // the groups of the backward pass as well
    BackwardFrom backward_from{};
    std::string backend{};           // one of list_fusers(); empty: for each kernel the best that takes it
    bool measure = true;             // times too: each group runs some 20 times
    std::optional<bool> training{};  // nullopt: the mode that the model is in
};
auto fields(Like<FusedGroupsRequest> auto& it) {
    return std::tie(it.pipeline, it.method, it.backward, it.backward_from, it.backend, it.measure, it.training);
}

// One loop nest. A group has several where shapes differ inside it (what is smaller is computed once).
struct FusedKernelView {
    std::string backend;     // "llvm", "portable"
    std::string expression;  // one line a value: "%2: float32 = Mul(%0, %1)"
    std::string program;     // of the interpreter of expressions: what it does block by block
    std::string ir;          // LLVM IR, optimised, or a device's source; empty without a compiler
    std::string assembly;    // of this machine; PTX of a device
    double compile_seconds = 0;
    bool from_disk = false;  // the code lay in the cache
    std::string language;    // of ir: "LLVM IR", "CUDA C++"
    std::string resources;   // what it takes of a device: registers, shared memory, occupancy
    // For each line of expression: lines of the group's graph that it stands for.
    std::vector<std::vector<int>> from_graph;
    // For each line of ir, and of assembly: the line of the expression that it computes; -1: none alone.
    std::vector<int> ir_of;
    std::vector<int> assembly_of;
};
auto fields(Like<FusedKernelView> auto& it) {
    return std::tie(it.backend, it.expression, it.program, it.ir, it.assembly, it.compile_seconds, it.from_disk,
                    it.language, it.resources, it.from_graph, it.ir_of, it.assembly_of);
}

// A group on the inputs of a run. The same node is listed once for each kind of inputs it got.
struct FusedGroupView {
    int graph_node = -1;  // in the GraphModel after the pipeline; -1 for groups of a backward pass
    bool is_backward = false;
    std::string name;                    // "TensorExprGroup 3": as they ran
    std::string scope;                   // of its first operator: "layer1.0"
    std::vector<SourcePlace> sources;    // of its operators, without repetitions
    std::string graph;                   // its operators: text of the IR
    std::vector<SourcePlace> places;     // of each line of graph; line 0: none
    std::vector<std::string> operators;  // "aten::mul", in order
    std::vector<std::string> inputs;     // "float32 [4, 128, 256]"; numbers as they are
    std::vector<std::string> outputs;
    int runs = 0;  // how often the group ran
    std::vector<FusedKernelView> kernels;
    std::string reason;        // why its operators run one by one; empty: they are fused
    double fused_seconds = 0;  // best of several; 0 without `measure`
    double unfused_seconds = 0;
    double new_sizes_seconds =
        0;                   // fused, on sizes that it has not met: the kernels are there, the loops are laid out anew
    std::int64_t bytes = 0;  // of what goes in and comes out: what a kernel must move at least
    std::vector<std::string> loops;  // for these sizes, one a kernel: "512 rows of 256 elements"
    std::string error;               // measuring failed
};
auto fields(Like<FusedGroupView> auto& it) {
    return std::tie(it.graph_node, it.is_backward, it.name, it.scope, it.sources, it.graph, it.places, it.operators,
                    it.inputs, it.outputs, it.runs, it.kernels, it.reason, it.fused_seconds, it.unfused_seconds,
                    it.new_sizes_seconds, it.bytes, it.loops, it.error);
}

struct FusedGroups {
    std::vector<FusedGroupView> groups;  // in the order in which they first ran
    std::string error;                   // the run failed; groups are those before it
    std::vector<std::string> others;     // where there are no groups: pipelines that make some of this method
};
auto fields(Like<FusedGroups> auto& it) { return std::tie(it.groups, it.error, it.others); }

// The fusers there are, best first: "llvm", "portable".
std::vector<std::string> list_fusers();

}  // namespace loupe::session
