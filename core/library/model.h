// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model file, opened: its methods, its module tree, and runs of it that are written down.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/module.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"

namespace loupe {
namespace session {
class Program;
class Recording;
}  // namespace session

// Copies are handles of one model. One thread at a time runs it.
class Model {
  public:
    // A model file or folder of any format that the engine or a plugin reads. weights: a checkpoint to load into it.
    // build: of a model source (.py), the expression that makes the model. Throws Error: Usage when the file is
    // missing, File when it is damaged or holds no model, Unsupported when it needs features that the engine lacks.
    static Model open(const std::filesystem::path& file, const std::filesystem::path& weights = {},
                      const std::string& build = {});

    static Model of_program(std::shared_ptr<session::Program> program) { return Model(std::move(program)); }

    // Calls forward, or the only method there is; hooks of modules run. One argument a value, trailing ones take their
    // defaults. Recorded for backward where grad mode is on. Throws Error (Run) with operator, module and source line.
    IValue operator()(std::vector<IValue> arguments) const;
    // Calls a method by name. Throws Error (Usage) with the names there are.
    IValue run(const std::string& method, std::vector<IValue> arguments) const;
    // Names of the methods that can be called.
    std::vector<std::string> methods() const;
    // Arguments and results; the first argument is self.
    const FunctionSchema& schema(const std::string& method = "forward") const;
    // What the file itself gives as arguments, or what should fit; of fixed random numbers. Throws Error (Usage) when
    // nothing is known.
    std::vector<IValue> example_inputs(const std::string& method = "forward") const;

    // Parameters, buffers, children, hooks, train() and eval().
    nn::Module& module() const;
    nn::ModulePtr module_pointer() const;
    // Of all modules, each once: what an optimiser takes.
    TensorList parameters() const;
    void train(bool mode = true) const { module().train(mode); }
    void eval() const { module().eval(); }
    // Parameters, buffers, and of a program its constants. Throws Error (Run) without such a device.
    void to(Device device) const;
    // Floating point parameters and buffers. Throws Error (Run) for another kind of dtype.
    void to(ScalarType dtype) const;

    // As the extension says: .pt, .onnx, .pt2, .safetensors (weights), .npz (weights). Nothing partial is written.
    // Throws Error (Usage) for another extension, Error (Unsupported) for what the format lacks.
    void save(const std::filesystem::path& file) const;

    // What happened in `work`, which calls this model and may call backward: events with statistics, modules, memory.
    // With values, elements of tensors are kept by write_recording. Throws what work throws; the recording then ends
    // there. arguments: what the model is called with, to name them.
    struct Recorded {
        std::shared_ptr<const session::Recording> recording;
        // Writes it as a .loupe file, which the window and tensorloupe-cli open. Throws Error (File).
        std::function<void(const std::filesystem::path& file)> save;
    };
    Recorded record(const std::vector<IValue>& arguments, const std::function<void()>& work) const;

    // The engine's own object, for what this class has no name for.
    const std::shared_ptr<session::Program>& program() const { return program_; }

  private:
    explicit Model(std::shared_ptr<session::Program> program);

    std::shared_ptr<session::Program> program_;
    std::string default_method_;
};

}  // namespace loupe
