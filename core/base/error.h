// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one error type of the engine: what happened, where, with which shapes, and what to do.

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace loupe {

enum class ErrorKind {
    Usage,        // wrong arguments, missing input file
    File,         // a file that cannot be read, is damaged or hostile
    Unsupported,  // a valid file that needs a feature the engine lacks
    Compile,      // source that the script front end rejects
    Run,          // an operator or a program failed while running
    Plugin,       // a plugin that cannot be loaded
    Cancelled,    // the user stopped it
    Internal,     // our own bug
};

// Place and inputs of an error. Empty fields are unknown.
struct ErrorContext {
    std::string file = {};                 // "model.pt"
    std::string op = {};                   // operator schema or name: "aten::mm"
    std::string scope = {};                // module scope: "layer1.0.conv1"
    std::string source = {};               // the user's source line: "resnet.py:92"
    std::vector<std::string> inputs = {};  // "float32 1x3x224x224", one per input
    std::string hint = {};                 // what to do about it
};

class Error : public std::exception {
  public:
    Error(ErrorKind kind, std::string message, ErrorContext context = {});

    ErrorKind kind() const { return kind_; }
    const std::string& message() const { return message_; }
    const ErrorContext& context() const { return context_; }

    // Fills empty fields of the context; the innermost place wins.
    void add_context(const ErrorContext& outer);

    // One line: "file: message, in op at scope (source), inputs: ...; hint".
    const char* what() const noexcept override { return line_.c_str(); }

  private:
    void render();

    ErrorKind kind_;
    std::string message_;
    ErrorContext context_;
    std::string line_;
};

// A short word for a kind: "file", "run", ...
std::string_view error_kind_name(ErrorKind kind);

}  // namespace loupe
