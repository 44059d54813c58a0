// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the program knows about an operator, as values: its record, for looking things up.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loupe::session {

struct OperatorInfo {
    struct Argument {
        std::string name;          // empty: a return without one
        std::string type;          // "Tensor?", without marks
        std::string default_text;  // "None"; empty where there is none
        std::string alias;         // the mark, "a" or "a!"; empty where there is none
        bool is_written = false;
        bool is_keyword_only = false;
        std::string gradient;  // formula of its gradient; empty where none is known
    };
    struct Saved {
        std::string name;       // of an argument or a result
        std::string if_needed;  // only when the gradient of this argument is wanted; empty: always
    };
    struct Kernel {
        std::string device;   // "cpu"
        std::string backend;  // "onednn", "portable"
    };

    std::string name;  // "aten::add.Tensor"
    std::string schema;
    std::string family;
    std::string summary;
    std::string formula;
    std::vector<Argument> arguments;
    std::vector<Argument> returns;
    std::string derivative;     // name of its backward node; empty when there is none
    std::vector<Saved> saved;   // for backward
    bool is_composite = false;  // made of other operators, which have the derivatives
    bool has_cost = false;      // a count of operations and bytes of its own
    bool is_random = false;
    bool is_gradient_stop = false;
    bool is_view = false;
    std::vector<Kernel> kernels;         // first to be asked first
    std::vector<std::string> variants;   // the other forms of the record: "aten::add_.Tensor", "aten::add.out"
    std::vector<std::string> overloads;  // of the same name
    std::vector<std::string> related;    // what its record speaks of, and its backward operators
};

// All operators, those of plugins too, in the order of registration.
std::vector<OperatorInfo> list_operators();
// full_name: "aten::add.Tensor"; a name without its overload means the first, a name without a namespace aten's.
// Nothing when there is no such operator.
std::optional<OperatorInfo> find_operator_info(std::string_view full_name);
// What somebody may search for: name and sentence of every operator, in order.
struct OperatorTitle {
    std::string name;
    std::string summary;
};
std::vector<OperatorTitle> list_operator_titles();

}  // namespace loupe::session
