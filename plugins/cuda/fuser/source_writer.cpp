// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/source_writer.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/fuser/formulas.h"

namespace loupe::cuda {

using runtime::FusedExpression;
using runtime::FusedOperand;
using runtime::FusedSpace;
using runtime::FusedStep;

std::string SourceWriter::v(std::uint32_t value) { return concat("v", value); }

std::string SourceWriter::array_name(std::uint32_t array) const {
    return array < space_.outputs ? concat("out", array) : concat("in", array - space_.outputs);
}

std::string SourceWriter::element(std::uint32_t array) const {
    return concat("Element::", element_name(space_.dtypes[array]));
}

void SourceWriter::line(const std::string& text, int of) {
    if (!text.empty()) source_.text.append(static_cast<std::size_t>(4 * indent_), ' ');
    source_.text += text + "\n";
    source_.line_of.push_back(of);
}

void SourceWriter::block(const std::string& head, const std::function<void()>& body) {
    line(head + " {");
    ++indent_;
    body();
    --indent_;
    line("}");
}

std::string SourceWriter::word(What what, std::uint32_t array, std::uint32_t dim) {
    const auto same = [&](const SourceWord& w) { return w.what == what && w.array == array && w.dim == dim; };
    auto found = std::find_if(source_.words.begin(), source_.words.end(), same);
    if (found == source_.words.end()) found = source_.words.insert(found, {what, array, dim});
    return concat("a.at[", found - source_.words.begin(), "]");
}

std::string SourceWriter::offset_text(What what, std::uint32_t array, const std::vector<std::string>& names) {
    const auto& dims = what == What::OuterStride ? space_.outer : space_.inner;
    std::string text = array_name(array);
    for (std::uint32_t d = 0; d < dims.size(); ++d) {
        if (dims[d].strides[array] != 0) text += concat(" + ", names[d], " * ", word(what, array, d));
    }
    return text;
}

std::string SourceWriter::operand_text(const FusedOperand& operand) const {
    if (operand.is_number) return literal(operand.number.data(), operand.as);
    return converted_text(v(operand.value), e_.dtype_of(operand.value), operand.as);
}

std::string SourceWriter::numbers_name(std::uint32_t value) const {
    return step(value).params.empty() ? "" : concat("numbers", value);
}

void SourceWriter::write_numbers() {
    bool needs_none = false;
    for (std::size_t i = 0; i < e_.steps.size(); ++i) {
        const auto value = static_cast<std::uint32_t>(e_.inputs.size() + i);
        const std::string numbers = numbers_text(e_.steps[i]);
        needs_none |= numbers.empty();
        if (!numbers.empty())
            line(concat("const Numbers ", numbers_name(value), numbers, ";"), static_cast<int>(value));
    }
    if (needs_none) line("const Numbers kNoNumbers;");
}

void SourceWriter::write_pointwise(std::uint32_t value) {
    const FusedStep& s = step(value);
    std::vector<std::string> operands;
    for (const FusedOperand& operand : s.inputs) operands.push_back(operand_text(operand));
    line(concat("const ", register_type(s.dtype), " ", v(value), " = ", step_text(s, operands, numbers_name(value)),
                ";"),
         static_cast<int>(value));
}

FusedSource SourceWriter::finish(const std::string& tail) {
    constexpr std::size_t kMostWords = 500;  // of the 4 KiB that arguments may take
    if (source_.words.size() > kMostWords) throw Error(ErrorKind::Unsupported, "more arrays and dimensions than fit");
    std::string head =
        "#include \"plugins/cuda/fuser/device/fused.h\"\n\nusing namespace loupe::cuda;\nusing namespace "
        "loupe::cuda::fused;\n\n";
    const std::string expression = e_.str();
    for (std::size_t at = 0; at < expression.size();) {
        const std::size_t end = std::min(expression.find('\n', at), expression.size());
        head += "// " + expression.substr(at, end - at) + "\n";
        at = end + 1;
    }
    head += concat("extern \"C\" __global__ void __launch_bounds__(", source_.block,
                   ") fused_loop(const __grid_constant__ Words<", source_.words.size(), "> a) {\n");
    const auto lines = std::count(head.begin(), head.end(), '\n');
    source_.line_of.insert(source_.line_of.begin(), static_cast<std::size_t>(lines), -1);
    source_.text = head + source_.text + "}\n" + tail;
    source_.line_of.resize(static_cast<std::size_t>(std::count(source_.text.begin(), source_.text.end(), '\n')), -1);
    return std::move(source_);
}

FusedSpace with_dims(FusedSpace space, bool is_of_rows) {
    FusedSpace::Dim one;
    for (const ScalarType dtype : space.dtypes) one.strides.push_back(element_size(dtype));
    if (is_of_rows && space.inner.empty()) space.inner.push_back(one);
    if (!is_of_rows && space.outer.empty()) space.outer.push_back(one);
    return space;
}

FusedSource make_source(const FusedExpression& expression, const FusedSpace& space, bool is_aligned) {
    const bool is_of_rows = expression.is_of_rows();
    const FusedSpace whole = with_dims(space, is_of_rows);
    return is_of_rows ? write_row_source(expression, whole, is_aligned)
                      : write_pointwise_source(expression, whole, is_aligned);
}

}  // namespace loupe::cuda
