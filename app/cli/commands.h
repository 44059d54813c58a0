// SPDX-License-Identifier: Apache-2.0
#pragma once
// The commands of tensorloupe-cli. Each returns the exit status and throws loupe::Error.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/numpy/npy.h"
#include "core/model/generate.h"
#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/recorder.h"
#include "core/record/run_options.h"
#include "core/study/verdict.h"
#include "core/train/training.h"

namespace loupe::cli {

// A line on standard error.
void print_notice(const std::string& line);

// Options of run, bench and check; docs: the contract of the command line.
struct RunArguments {
    std::string model;
    std::string inputs_file;
    std::vector<std::string> input_specs;
    std::optional<std::string> text;  // instead of inputs: what a tokenizer makes of it
    std::string method;
    std::string weights;
    std::string build;                   // of a model source: the expression that makes the model
    std::vector<std::string> arguments;  // of it: "name=value"
    FilePermissions permissions;         // of a model source
    std::string device = "cpu";
    int threads = 0;
    std::uint64_t seed = 0;
    std::string mode;
    bool scripted = false;
    std::string pipeline = "none";
    int opset = 0;                     // of convert to .onnx; 0: the writer's own
    std::vector<std::string> dynamic;  // of convert: sizes that may differ, "arg0:0=batch"
    std::string compile_mode;          // empty: the pipeline only
    bool backward = false;
    std::string loss;  // the start of backward: see session::parse_backward_from
    std::string target;
    std::string data;  // whose labels the target `labels` is
    std::string outputs_file;
    bool grad_norms = false;
    std::string trace_file;
    std::string record_file;
    bool no_values = false;            // in that file
    std::vector<std::string> written;  // files and folders that the command writes besides
    bool stats = false;
    int ranks = 0;                     // to start it on; 0: here alone, or what a launcher has started
    bool as_program = false;           // a source runs whole, with its main block
    bool parts = false;                // what composed operators are made of is recorded
    std::vector<std::string> changes;  // of values on the way: "layer1.out = zeros"
    std::function<void(const std::string& line)> notice = print_notice;  // of what is noted beside the results
    // bench
    int warmup = 3;
    int repeat = 20;
    bool json = false;
    bool operators = false;  // a row an operator
    // check
    std::string expected_file;
    double rtol = 1e-4;
    double atol = 1e-5;
};

// A model with all options applied, ready to run.
struct PreparedRun {
    std::shared_ptr<session::Program> program;
    std::unique_ptr<session::PreparedMethod> method;
    session::RunOptions options;  // for its recording
    std::vector<IValue> arguments;
    std::shared_ptr<const session::TextModel> text_model;  // null: not run on a text
    text::Encoding tokens;                                 // of the text
    std::unique_ptr<session::BackwardSource> backward;     // null without backward
    std::function<void(const std::string& line)> notice = print_notice;
};
// The method's arguments when the command line says inputs; empty otherwise.
std::vector<IValue> given_arguments(const session::Program& program, const RunArguments& options,
                                    const std::string& method);
// The same, with generated inputs by default.
std::vector<IValue> run_inputs(const session::Program& program, const RunArguments& options, const std::string& method);
// Of a source without a model, which has run, the program is null.
PreparedRun prepare_run(const RunArguments& options);
// The same for a command that needs a model. Throws Error (File) where there is none.
PreparedRun prepare_model(const RunArguments& options);
// The first half of it. Null for a source without a model.
std::shared_ptr<session::Program> open_program(const RunArguments& options);
// Where the kernel supports it, restricts the process of a model source to writing these files, the kernel cache, and
// temporary files: a second lock behind the source's sandbox. Other models are not confined.
void confine_source(const std::string& model, const FilePermissions& permissions,
                    const std::vector<std::string>& written);
// A graph for a model source, on the inputs of the options; its warnings go to standard error. Others have theirs.
void trace_program(session::Program& program, const RunArguments& options);

// Forward, and backward if it was prepared; gradients of before are dropped first. Returns the flattened outputs.
TensorList execute(const PreparedRun& run);
// Of such a run, on the arguments as they are.
std::unique_ptr<session::Recorder> make_recorder(const PreparedRun& run, session::RecorderOptions options);

// Which gradients to print beside the results.
struct Gradients {
    bool arguments = false;   // grad.arg0
    bool parameters = false;  // grad.param.NAME
    bool norms = false;       // gradnorm.NAME of every parameter, 0 where it has no gradient
};
// out0, ..., and gradients.
NamedTensors collect_outputs(const PreparedRun& run, const TensorList& outputs, Gradients gradients);

// Summary of a run, a line on standard error.
void print_verdict(const session::Verdict& verdict);
// One row per event.
void print_stats(const session::Recording& recording);
// One row per event: the median of warm runs and the quartiles.
void print_operator_times(const session::Recording& recording, const session::OperatorTimes& times);
// Chrome's trace format; Perfetto reads it too. Written whole or not at all.
void write_trace(const session::Recording& recording, const std::string& file);

int run_info(const std::string& model, const std::string& build, const FilePermissions& permissions);
int run_convert(const RunArguments& options, const std::string& out, const std::string& shard_size);
int run_run(const RunArguments& options);
// The tokens of a text, a row each.
void print_tokens(const text::Encoding& tokens);
// The likeliest words behind the last position; nothing where the results are no logits of words.
void print_next_words(const session::TextModel& model, const TensorList& outputs);
struct GenerateArguments {
    RunArguments run;  // the model, the text, the device
    std::optional<std::int64_t> max_tokens, top_k, no_repeat_ngram, beams;
    std::optional<double> temperature, top_p, min_p, repetition_penalty, length_penalty;
    bool greedy = false;
    bool early_stopping = false;
    bool tokens = false;  // a row a token instead of the text
};
int run_generate(const GenerateArguments& options);
struct ExplainArguments {
    RunArguments run;
    std::string element;  // "fc.out[0, 3]"
    int depth = 1;        // steps back
    int most = 3;         // elements followed at each step
    std::string to;       // "inputs": all the way
    bool reach = false;   // forward instead
};
int run_explain(const ExplainArguments& options);
struct TokensArguments {
    RunArguments run;                       // the model, the text, the device
    std::size_t top = 3;                    // likely tokens a row
    bool saliency = false;                  // what each token adds to a logit, instead
    std::optional<std::int64_t> at, token;  // of the logit: the place in the text, the token
    bool attention = false;                 // the attentions of the run, instead
    std::string site;          // "model.layers.0.self_attn:3": the weights of a head; without ":3" their mean
    std::string outputs_file;  // weights of all heads: [heads, queries, keys], by the site's name
};
// What a model makes of the tokens of a text.
int run_tokens(const TokensArguments& options);
struct StudyArguments {
    RunArguments run;                  // the model and its inputs, or a text
    std::string name;                  // "list": those there are, and whether they fit
    std::vector<std::string> options;  // NAME=VALUE
    std::string outputs_file;          // .npz of its arrays
    std::string picture_file;          // .png
    std::size_t top = 1;               // words of a cell
};
int run_study(const StudyArguments& options);
int run_check(const RunArguments& options);
struct CompareArguments {
    RunArguments run;                 // of the first model; of the others but for what stands below
    std::vector<std::string> others;  // models, recordings, arrays by name
    std::optional<double> rtol;       // not given: by the dtypes
    std::optional<double> atol;
    std::string pipeline;  // of the others; empty: as the first
    std::string device;
    std::string dtype;
};
// 1 beyond tolerance, and where nothing could be compared.
int run_compare(const CompareArguments& options);
int run_bench(const RunArguments& options);
struct IrArguments {
    RunArguments run;  // the model, its method and inputs, the pipeline
    std::string passes;
    bool after_each = false;
    std::string output_folder;
};
int run_ir(const IrArguments& options);
struct BisectArguments {
    RunArguments run;  // the model, its method and inputs, the pipeline, tolerances
    std::string passes;
    bool outputs_only = false;
    std::string output_folder;
};
// 1 when a pass changed the result.
int run_bisect(const BisectArguments& options);
struct KernelArguments {
    RunArguments run;  // the model, its method and inputs, the pipeline, backward
    std::string fuser;
    bool with_code = false;
    bool no_times = false;
};
int run_kernels(const KernelArguments& options);
// Traces a model source and compares the trace with it on other inputs; 1 when they differ.
int run_trace_check(const RunArguments& options);
struct TrainArguments {
    session::TrainOptions how;
    std::vector<std::string> data_options;  // NAME=VALUE
    std::string csv_file;                   // a row a step
    std::string save_file;                  // weights after the last step
    std::string checkpoint_file;            // of the training, after every epoch
};
int run_train(const RunArguments& model, const TrainArguments& options);
struct PlanArguments {
    RunArguments run;      // the model, its method and inputs, the pipeline
    bool buffers = false;  // a line each
    std::string ranks;     // instead: what training on so many ranks sends
};
int run_plan(const PlanArguments& options);
// What a step of training sends, on so many ranks: "8,64,1024".
int run_plan_ranks(const RunArguments& options, const std::string& ranks);
int run_passes();
struct OpsOptions {
    std::string filter;           // in a schema or its sentence; empty: all
    std::string missing_in;       // a model file, whose operators that the engine lacks are listed
    FilePermissions permissions;  // of a model source
    bool json = false;
    std::string pages;  // a folder for the operator reference; empty: none
};
int run_ops(const OpsOptions& options);

struct PluginsArguments {
    enum class Act { List, Install, Remove, Disable, Enable };
    Act act = Act::List;
    std::string of;  // a file, or the name of a plugin
    bool json = false;
};
int run_plugins(const PluginsArguments& arguments);

struct RanksArguments {
    std::vector<std::string> files;  // recordings; one: and those beside it
    bool alone = false;              // only those that are named
    bool all = false;                // every collective
    bool json = false;
};
// The ranks of a run held against each other; 1 when something is wrong.
int run_ranks(const RanksArguments& options);

// Each NAME=VALUE. Throws Error (Usage).
std::map<std::string, std::string> source_options(const std::vector<std::string>& given);
// Options of data. Without a path the sources are listed; with a batch size everything is loaded once.
struct DataArguments {
    std::string path;
    std::string source;
    std::vector<std::string> options;
    std::int64_t batch = 0;
    bool shuffle = false;
    int workers = 0;
    std::uint64_t seed = 0;
    bool skip_damaged = false;
};
int run_data(const DataArguments& arguments);

}  // namespace loupe::cli
