// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/ops/plugin_loader.h"
#include "core/io/checkpoint.h"
#include "core/ops/random/generator.h"
#include "core/session/input_file.h"
#include "core/session/inputs.h"

namespace loupe::cli {
namespace {

// Numbers, texts and lists of them are given as Python writes them: "3", "True", "[1, 2]".
bool takes_literal(const Type& type, const std::string& text) {
    const Type& plain = type.kind() == TypeKind::Optional ? *type.element() : type;
    if (text == "None" && &plain != &type) return true;
    const bool is_tensor = plain.kind() == TypeKind::Tensor || plain.kind() == TypeKind::Any;
    return !is_tensor && (text.find(':') == std::string::npos || plain.kind() == TypeKind::String);
}

std::vector<session::InputSpec> specs_of(const RunArguments& options, const session::Program& program, const FunctionSchema& schema) {
    if (!options.inputs_file.empty() && !options.input_specs.empty()) {
        throw Error(ErrorKind::Usage, "give --inputs or --input, not both");
    }
    if (!options.inputs_file.empty()) return session::input_specs_of_file(options.inputs_file, schema, *program.info());
    if (options.input_specs.empty()) return session::guess_inputs(*program.info(), schema, true);
    std::vector<session::InputSpec> specs;
    for (std::size_t i = 0; i < options.input_specs.size(); ++i) {
        const std::string& text = options.input_specs[i];
        const std::size_t argument = i + 1;  // behind self
        if (argument < schema.arguments.size() && takes_literal(*schema.arguments[argument].type, text)) {
            specs.emplace_back().literal = text;
        } else {
            specs.push_back(session::parse_input_spec(text));
        }
        specs.back().seed = options.seed;
    }
    return specs;
}

TensorList cotangents_of(const std::string& file) {
    TensorList all;
    if (!file.ends_with(".npz")) return all;
    for (const auto& [name, t] : read_npz(file)) {
        if (!name.starts_with("cot")) continue;
        const std::size_t index = std::strtoull(name.c_str() + 3, nullptr, 10);
        if (index > 10'000) throw Error(ErrorKind::Usage, concat("'", name, "' is no cotangent of an output"), {.file = file});
        if (all.size() <= index) all.resize(index + 1);
        all[index] = t;
    }
    return all;
}

}  // namespace

PreparedRun prepare_run(const RunArguments& options) {
    plugins();  // their kernels are asked first
    if (!options.device.starts_with("cpu")) {
        parse_device(options.device);
        allocator_for(DeviceType::Cuda);
    }
    set_thread_count(options.threads);
    default_generator().set_seed(options.seed);
    PreparedRun run;
    run.program = session::Program::open(options.model);
    nn::Module& module = run.program->module();
    if (!options.weights.empty()) module.load_state_dict(read_weights(options.weights));
    if (!options.mode.empty()) module.train(options.mode == "train");
    const std::string method = options.method.empty() ? run.program->default_method() : options.method;
    run.method = std::make_unique<session::PreparedMethod>(run.program, method, options.pipeline);
    run.options.method = method;
    run.options.inputs = specs_of(options, *run.program, run.method->schema());
    run.options.backward = options.backward;
    run.options.pipeline = options.pipeline;
    if (!options.mode.empty()) run.options.training = options.mode == "train";
    run.options.threads = options.threads;
    run.options.seed = options.seed;
    run.options.device = options.device;
    run.arguments = session::make_inputs(run.options.inputs, run.method->schema(), true);
    if (!options.inputs_file.empty()) run.cotangents = cotangents_of(options.inputs_file);
    return run;
}

}  // namespace loupe::cli
