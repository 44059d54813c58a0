// SPDX-License-Identifier: Apache-2.0
#pragma once
// What callers ask a session for, and what comes back: values only.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/data_sources.h"
#include "core/record/recording.h"

namespace loupe::session {

// Where an input of the method comes from.
struct InputSpec {
    enum class Source { Random, Normal, Zeros, Ones, Arange, File, Example };  // Example: what the model's own source gives
    Source source = Source::Normal;
    Shape shape;
    std::string dtype = "float32";
    std::uint64_t seed = 0;
    std::int64_t low = 0;    // integers are drawn from [low, high)
    std::int64_t high = 10;
    std::string file;        // .npy, .npz, .pt, .png, .jpg
    std::string key;         // "arg0" in an .npz
    // For arguments that are no tensors: a Python literal ("3", "0.5", "True", "[1, 2]", "None", "'text'").
    std::optional<std::string> literal;
    // For list and tuple arguments: one spec an element.
    std::vector<InputSpec> elements;
};
// "2x3x224x224", "8x16:int64", "1x3x8x8:float32:normal", "...:zeros", "...:arange". Throws Error (Usage).
InputSpec parse_input_spec(const std::string& text);
std::string input_spec_text(const InputSpec& spec);

// The target of a loss.
struct LossTarget {
    enum class Source : std::uint8_t {
        None,
        Typed,  // a Python literal: "3", "[1, 7]", "[[0., 1.]]"
        File,   // an array of a .npy, .npz or .pt
        Data,   // of the data's first examples, as many as the model was run on
    };
    Source source = Source::None;
    std::string text;  // Typed: the literal; File: its path
    std::string key;   // File: the name in an .npz, the place in a .pt
    DataSpec data;     // Data
};

// What backward starts from.
struct BackwardFrom {
    enum class Kind : std::uint8_t {
        Default,     // Own where the source has a loss that can be computed without more being said, else Sum
        Sum,         // of all elements of all outputs
        Mean,        // likewise
        Own,         // the `loss` of the model's source, of the output, or of the output and a target
        Loss,        // a loss of torch.nn, of the first output and a target
        Element,     // one element of an output
        Cotangents,  // gradients of the outputs, from an .npz: cot0, cot1, ...; ones for outputs without
    };
    Kind kind = Kind::Default;
    std::string loss;         // Loss: as Python calls it, "CrossEntropyLoss(label_smoothing=0.1)"
    LossTarget target;        // Own, Loss
    std::size_t output = 0;   // Element: among the outputs, flattened
    Shape index;              // Element: one number a dimension; negative ones count from the end
    std::string file;         // Cotangents
};
// loss: "" (Default), "sum", "mean", "own", "cross_entropy", "mse", "CrossEntropyLoss(label_smoothing=0.1)", "out0[0, 3]",
// "cotangents:FILE.npz"; target: "", a Python literal, FILE, FILE:KEY, or "labels" of the data. Throws Error (Usage).
BackwardFrom parse_backward_from(const std::string& loss, const std::string& target = {});
// What parse_backward_from takes.
std::string loss_text(const BackwardFrom& from);
std::string target_text(const LossTarget& target);
// For people: "sum of outputs", "CrossEntropyLoss(), target [3]", "out0[0, 3]".
std::string backward_from_text(const BackwardFrom& from);

struct RunOptions {
    std::string method = "forward";
    std::vector<InputSpec> inputs;   // empty: the ones that were guessed or given when the model was opened
    bool backward = false;
    BackwardFrom backward_from;
    bool record = true;
    bool statistics = true;
    bool record_values = true;       // keep elements, to be looked at
    // Bytes of elements kept in memory, and those moved to a temporary file beyond it; what goes over both is dropped and
    // computed again when it is asked for. Not given: a quarter of the machine's memory, half of the free disk.
    std::optional<std::size_t> memory_budget;
    std::optional<std::size_t> file_budget;
    // Names that neither statistics nor elements are kept of, exactly as they stand here: of a module's path ("" is the
    // root) what its own operators make, forward and backward, not what modules in it make; of a parameter itself and
    // its gradients. Events stay.
    std::set<std::string, std::less<>> left_out;
    std::string pipeline = "none";   // which passes run on the graph first
    std::string compile_mode;        // one of compile_modes(): how the graph is compiled, with its own passes for "none"
    std::optional<bool> training;    // nullopt: as the file says
    int threads = 0;                 // 0: all cores
    std::uint64_t seed = 0;
    bool pause_at_start = false;
    std::string device = "cpu";
};

enum class StepKind { Over, Into, Out };

struct Breakpoint {
    enum class Kind { Node, OperatorKind, Module, Line, Phase, NanOrInf };
    int id = 0;              // given by the session
    Kind kind = Kind::Node;
    int graph_node = -1;     // Node
    // OperatorKind: "aten::conv2d", "conv*"; Module: a path; Line: the file; Node: what it was on while that is in no graph.
    // NanOrInf: the module in which any stops that is not meant; empty: where one is made or turned, anywhere.
    std::string text;
    int line = 0;
    // Only in this phase; nullopt: in any. Kind Phase stops at its first event.
    std::optional<RunPhase> phase;
    std::string condition;   // "", "nan", "absmax > 10", "bytes > 1e6": on an output of the operator, so it stops after it
    int ignore_first = 0;    // hits to pass over
    bool enabled = true;
    int hits = 0;            // kept by the session
};

struct Verdict;  // see verdict.h

enum class RunState { Empty, Opening, Ready, Running, Paused, Finished, Failed };

// Everything a caller needs to draw buttons and marks.
struct Status {
    RunState state = RunState::Empty;
    EventId reached = 0;            // last event that ran
    int next_node = -1;             // graph node the engine is parked before
    std::string next_op;
    std::string next_scope;
    SourcePlace next_source;        // of the statement of a model source that it is parked before; else empty
    RunPhase phase = RunPhase::Forward;
    int stopped_at_breakpoint = 0;  // its id; 0 when it stopped for another reason
    std::string why;                // "breakpoint 2: module layer2 in backward", "step", "paused", "error"
    std::string error;              // one line
    std::string details;            // where error is the first of several lines: all of them, the source underlined
    SourcePlace error_source;       // where it happened, as far as that is known
    std::string progress;           // "reading weights"
    double fraction = -1;           // of the work under way; negative: unknown
    bool is_training = false;       // what runs, or is parked, is a step of a training
    // Of the training: the step that it is parked inside; else the last that is done.
    std::int64_t training_step = 0;
    // Not 0: the training ended at this step, and one of its steps was run again: the model is as it was there.
    std::int64_t training_end = 0;
    std::shared_ptr<const Verdict> verdict;  // what a run came to, or why an event that it is parked behind made a NaN or Inf
};

// A part of a tensor, reduced to what can be drawn.
struct TensorRequest {
    ValueId value = 0;
    // Of a parameter, buffer or gradient of the model as it is now, instead of a value: "conv1.weight", "grad:conv1.weight".
    std::string name;
    // Python slicing: "[0, :, 3]"; empty: all of it.
    std::string slice;
    std::vector<int> permute;       // order of the dimensions that slicing leaves
    // The last two dimensions become rows and columns, those before are tiles. Greater ones are thinned.
    int max_rows = 512;
    int max_columns = 512;
    int max_tiles = 64;
    enum class Thin { Pick, Mean, MaxMagnitude } thin = Thin::Pick;
};
struct TensorTile {
    std::string label;              // "[3]"
    int rows = 0;
    int columns = 0;
    std::vector<double> elements;   // row-major; complex numbers by magnitude
};
struct TensorSlice {
    std::string error;              // not empty: nothing else is valid
    ValueId value = 0;
    std::string name;
    bool is_recomputed = false;     // the elements had been dropped; the run was repeated up to them
    std::string dtype;
    Shape shape;                    // of the whole tensor
    Shape strides;
    std::int64_t offset = 0;
    std::uint64_t storage_id = 0;
    Shape sliced_shape;
    // Where the slice lies in the tensor, by the tensor's dimensions.
    struct Axis {
        std::int64_t start = 0;
        std::int64_t step = 1;
        int shown = -1;             // dimension of sliced_shape; -1: the slice has one index of it
    };
    std::vector<Axis> axes;
    std::int64_t rows = 0;          // before thinning
    std::int64_t columns = 0;
    std::int64_t tiles = 0;
    std::vector<TensorTile> data;
    Statistics statistics;          // of the slice
    std::array<std::uint32_t, 128> histogram{};  // of the slice's finite elements, linear between min and max
    // Every event that read or wrote the storage, in order.
    std::vector<EventId> readers;
    std::vector<EventId> writers;
    std::vector<std::string> aliases;  // other values on the same storage

    // The tensor's own indices of an element of a tile; row and column before thinning.
    Shape own_index(std::size_t tile, std::int64_t row, std::int64_t column) const;
};

// One parameter's gradients after a backward.
struct GradientRow {
    std::string parameter;
    std::string module;
    Shape shape;
    enum class Role : std::uint8_t { Weight, Bias, Normalization };  // of its module
    Role role = Role::Weight;
    bool is_frozen = false;         // requires_grad is False
    bool has_gradient = false;      // false: unused in this run, or frozen
    struct Magnitudes {
        double mean_abs = 0;
        double max_abs = 0;
        double norm = 0;
    };
    std::optional<Magnitudes> finite;   // of the finite elements of the gradient; nullopt: there are none
    std::optional<double> weight_norm;  // of the parameter's finite elements; nullopt: there are none
    double zero_fraction = 0;
    std::int64_t nan_count = 0;
    std::int64_t inf_count = 0;
    EventId event = 0;              // that accumulated it
    ValueId value = 0;

    void set_gradient(const Statistics& gradient);
    std::int64_t count() const;     // elements
    bool has_nan_or_inf() const { return nan_count > 0 || inf_count > 0; }
    // What `finite` is of: see finite_share_text.
    std::string finite_share_text() const;
    // Norm of the gradient to that of the weights; nullopt for biases and normalisations, whose weights say nothing of
    // scale, and where either has no finite element or the weights are zero.
    std::optional<double> weight_ratio() const;
};

// A graph after one pass of a pipeline.
struct PassStep {
    std::string pass;               // "Inline"
    bool changed = false;
    double seconds = 0;
    int nodes_before = 0;
    int nodes_after = 0;
    std::shared_ptr<const GraphModel> graph;   // null when unchanged
    // For each line of graph->text: lines of the text before it came from.
    std::vector<std::vector<int>> came_from;
    std::string error;              // the pass failed, or left a wrong graph: its text is in `graph`; the last step then
};
struct PassTrace {
    std::string pipeline;
    std::shared_ptr<const GraphModel> initial;
    std::vector<PassStep> steps;
    std::string error;
};

// What a line of a model source gave a name when it ran last: "x" of `x = self.conv(x)`, and of a def its arguments.
struct LineValue {
    int line = 0;
    std::string name;      // "x", "self.hidden"
    std::string text;      // "float32 2x64x8x8, -1.2 to 3.4", "3", "'mean'"
    ValueId value = 0;     // of a tensor that was recorded
};
// A function of the model source that is under way.
struct FrameValues {
    std::string function;  // "Net.forward"
    SourcePlace source;    // of the statement that is about to run or runs
    std::vector<LineValue> values;  // in the order in which they were given
};

// What a checkpoint and the model that it is loaded into disagree in.
struct WeightDifference {
    enum class Kind { Missing, Unexpected, Size };
    Kind kind = Kind::Missing;
    std::string name;
    std::string in_file;            // shape: "10x64"; empty: not there
    std::string in_model;
};
struct WeightsReport {
    std::string file;
    std::string error;              // PyTorch's text; not empty: nothing was changed
    std::int64_t tensors = 0;       // in the file
    std::int64_t loaded = 0;        // of the model's
    std::vector<WeightDifference> differences;
    bool can_load_rest = false;     // not strictly it would load: no tensor has another size, and some have a place
};

// How often a recorded run is repeated to time its operators.
struct OperatorTimesRequest {
    int warmup = 3;
    int repeats = 15;
    double seconds = 10;            // no more repeats are begun after that, but for the first three
};
struct OperatorTimesReport {
    std::string error;              // not empty: nothing else is valid
    std::shared_ptr<const OperatorTimes> times;  // also the recording's from now on
};

struct PluginInfo {
    std::string name;
    std::string file;
    std::string description;
    bool loaded = false;
    std::string reason;             // why not
};

}  // namespace loupe::session
