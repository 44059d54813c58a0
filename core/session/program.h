// SPDX-License-Identifier: Apache-2.0
#pragma once
// An opened model on the engine's side, and running it. The window's session and the command line use the same.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/io/format_registry.h"
#include "core/ir/function.h"
#include "core/runtime/code.h"
#include "core/session/graph_builder.h"
#include "core/session/model_info.h"
#include "core/session/requests.h"

namespace loupe::session {

class Program {
  public:
    // Throws what open_model throws.
    static std::shared_ptr<Program> open(const std::filesystem::path& path);

    const ModelFile& file() const { return file_; }
    nn::Module& module() const { return *file_.module; }
    const std::shared_ptr<const ModelInfo>& info() const { return info_; }

    // Throws Error (Usage) with the names there are.
    const ir::ScriptFunction& method(const std::string& name) const;
    // Schemas, as far as calls tell, of the operators that its methods need and the engine lacks.
    std::vector<std::string> missing_operators() const;
    // "forward", or the only method there is.
    std::string default_method() const;

  private:
    ModelFile file_;
    std::shared_ptr<const ModelInfo> info_;
};

// A method with its passes run, ready to be called again and again.
class PreparedMethod {
  public:
    // pipeline: "none" or one of list_pipelines(). Throws Error (Usage) for another name.
    PreparedMethod(std::shared_ptr<Program> program, const std::string& method, const std::string& pipeline);

    const ir::Graph& graph() const { return *graph_; }
    const FunctionSchema& schema() const { return function_.schema(); }
    BuiltGraph build_graph() const;
    // arguments: without self.
    IValue forward(std::vector<IValue> arguments) const;

  private:
    std::shared_ptr<Program> program_;
    const ir::ScriptFunction& function_;
    std::string name_;
    Ptr<ir::Graph> graph_;
    Ptr<const runtime::Code> code_;  // null: the method as it is
    bool takes_self_ = true;
};

// Tensors inside the arguments that can have a gradient become leaves that require it.
void require_input_gradients(const std::vector<IValue>& arguments);
// Backward from every output that requires grad; cotangents: one an output, undefined or missing means ones. Throws
// Error (Run) when no output requires grad.
void run_backward(const TensorList& outputs, const TensorList& cotangents = {});

// Forward, and backward from every result if asked, with memory by category.
void run_phases(const PreparedMethod& method, std::vector<IValue> arguments, bool backward);

ModelInfo describe_model(const ModelFile& file, const std::filesystem::path& path);

}  // namespace loupe::session
