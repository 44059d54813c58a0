// SPDX-License-Identifier: Apache-2.0
#include "core/library/model.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/convert.h"
#include "core/model/program.h"
#include "core/model/weights.h"
#include "core/record/recording_file.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe {

using session::PreparedMethod;
using session::Program;

Model::Model(std::shared_ptr<Program> program) : program_(std::move(program)) {
    if (!program_->info() || program_->info()->cannot_run.empty()) default_method_ = program_->default_method();
}

Model Model::open(const std::filesystem::path& file, const std::filesystem::path& weights, const std::string& build) {
    return Model(Program::open(file, weights, build));
}

IValue Model::operator()(std::vector<IValue> arguments) const {
    if (default_method_.empty()) throw Error(ErrorKind::Usage, program_->info()->cannot_run);
    return run(default_method_, std::move(arguments));
}

IValue Model::run(const std::string& method, std::vector<IValue> arguments) const {
    return PreparedMethod(program_, method, "none").forward(std::move(arguments));
}

std::vector<std::string> Model::methods() const {
    std::vector<std::string> names;
    for (const session::MethodInfo& method : program_->info()->methods) names.push_back(method.name);
    return names;
}

const FunctionSchema& Model::schema(const std::string& method) const { return program_->schema(method); }

std::vector<IValue> Model::example_inputs(const std::string& method) const {
    return program_->make_arguments(program_->default_inputs(method), method);
}

nn::Module& Model::module() const { return program_->module(); }
nn::ModulePtr Model::module_pointer() const { return program_->file().module; }

TensorList Model::parameters() const {
    TensorList all;
    for (auto& [name, tensor] : module().named_parameters()) all.push_back(std::move(tensor));
    return all;
}

void Model::to(Device device) const { program_->to(device); }
void Model::to(ScalarType dtype) const { module().to({.dtype = dtype}); }

void Model::save(const std::filesystem::path& file) const {
    const std::filesystem::path from = program_->info()->path;
    const std::string extension = file.extension().string();
    // Of a file of weights a conversion takes what the file holds, not what has become of it.
    const bool is_weights = extension == ".safetensors" || extension == ".npz";
    if (is_weights && session::is_weights_only(from)) return session::write_weights_file(module().state_dict(), file);
    session::convert(from, file, [this] { return program_; });
}

Model::Recorded Model::record(const std::vector<IValue>& arguments, const std::function<void()>& work) const {
    const auto method = std::make_shared<const PreparedMethod>(program_, default_method_, "none");
    const std::shared_ptr<session::Recorder> recorder =
        session::make_recorder({}, *method, module(), arguments, method->schema());
    session::record(*program_, *recorder, work);
    return {recorder->recording(), [program = program_, method, recorder](const std::filesystem::path& file) {
                session::save_recording(*program, *method, *recorder, {}, file);
            }};
}

}  // namespace loupe
