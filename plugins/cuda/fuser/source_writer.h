// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the writers of kernels share: lines, arguments, values. A value of the expression is v0, v1, ... in the text.

#include <functional>
#include <set>
#include <string>

#include "plugins/cuda/fuser/source.h"

namespace loupe::cuda {

class SourceWriter {
  public:
    SourceWriter(const runtime::FusedExpression& expression, const runtime::FusedSpace& space)
        : e_(expression), space_(space) {}

  protected:
    using What = SourceWord::What;

    static std::string v(std::uint32_t value);
    bool is_input(std::uint32_t value) const { return value < e_.inputs.size(); }
    const runtime::FusedStep& step(std::uint32_t value) const { return e_.steps[value - e_.inputs.size()]; }
    std::uint32_t array_of(std::uint32_t input) const { return static_cast<std::uint32_t>(space_.outputs) + input; }
    std::int64_t size_of_array(std::uint32_t array) const { return element_size(space_.dtypes[array]); }
    // "in2", "out0"
    std::string array_name(std::uint32_t array) const;
    std::string element(std::uint32_t array) const;  // "Element::Float32"

    // of: the line of the expression that it computes.
    void line(const std::string& text, int of = -1);
    // A line that ends with an opening brace, and all that is in it.
    void block(const std::string& head, const std::function<void()>& body);
    void blank() { line(""); }

    // "a.at[3]"
    std::string word(What what, std::uint32_t array = 0, std::uint32_t dim = 0);
    // The array's address at the places `names` along its dimensions; " + p0 * a.at[7]" for each that it walks.
    std::string offset_text(What what, std::uint32_t array, const std::vector<std::string>& names);

    std::string operand_text(const runtime::FusedOperand& operand) const;
    // Parameters of the steps, where the kernel begins.
    void write_numbers();
    void write_pointwise(std::uint32_t value);

    // The finished text: includes, the expression as a comment, the kernel's head with its arguments.
    FusedSource finish(const std::string& tail = {});

    const runtime::FusedExpression& e_;
    const runtime::FusedSpace& space_;
    FusedSource source_;
    int indent_ = 1;

  private:
    std::string numbers_name(std::uint32_t value) const;
};

FusedSource write_pointwise_source(const runtime::FusedExpression& expression, const runtime::FusedSpace& space,
                                   bool is_aligned);
FusedSource write_row_source(const runtime::FusedExpression& expression, const runtime::FusedSpace& space,
                             bool is_aligned);

}  // namespace loupe::cuda
