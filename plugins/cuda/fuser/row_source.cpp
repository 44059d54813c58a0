// SPDX-License-Identifier: Apache-2.0
// Kernels of expressions of rows: a warp or a block has a row, passes over it, and holds it in registers where it fits.
#include <algorithm>
#include <bit>
#include <map>

#include "core/base/strings.h"
#include "plugins/cuda/fuser/formulas.h"
#include "plugins/cuda/fuser/row_formulas.h"
#include "plugins/cuda/fuser/source_writer.h"

namespace loupe::cuda {

using runtime::FusedExpression;
using runtime::FusedSpace;
using runtime::FusedStep;
using runtime::RowShape;

namespace {

class RowWriter : public SourceWriter {
  public:
    RowWriter(const FusedExpression& expression, const FusedSpace& space, bool is_aligned)
        : SourceWriter(expression, space), plan_(expression) {
        source_.width = is_aligned ? widest() : 1;
        find_passes_of_inputs();
        choose_team();
    }

    FusedSource write() {
        line(concat("using Team = RowTeam<", source_.team, ", ", source_.block, ">;"));
        write_arrays();
        write_numbers();
        const std::string rows = word(What::Count);
        for (const FusedSource::Sum& sum : source_.sums) begin_sum(sum);
        block(concat("for (std::int64_t row = Team::index(); row < ", rows, "; row += Team::count())"),
              [&] { write_row(); });
        for (const FusedSource::Sum& sum : source_.sums) end_sum(sum);
        return finish(sum_kernels());
    }

  private:
    RowShape shape_of(std::uint32_t array) const {
        return e_.shapes[array < space_.outputs ? e_.outputs[array] : array - space_.outputs];
    }
    // A row's elements follow each other.
    bool is_plain(std::uint32_t array) const {
        std::int64_t expected = size_of_array(array);
        for (const FusedSpace::Dim& dim : space_.inner) {
            if (dim.strides[array] != expected) return false;
            expected *= dim.size;
        }
        return true;
    }

    int widest() const {
        std::int64_t largest = 1;
        for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
            if (shape_of(a) == RowShape::PerRow) continue;
            if (!is_plain(a)) return 1;
            largest = std::max(largest, size_of_array(a));
        }
        std::int64_t width = 16 / largest;
        const auto fits = [&] {
            if (space_.inner_count() % width != 0) return false;
            for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
                if (shape_of(a) != RowShape::Elements) continue;
                for (const FusedSpace::Dim& dim : space_.outer) {
                    if (dim.strides[a] % (width * size_of_array(a)) != 0) return false;
                }
            }
            return true;
        };
        while (width > 1 && !fits()) width /= 2;
        return static_cast<int>(width);
    }

    void find_passes_of_inputs() {
        std::vector<int> passes(e_.inputs.size(), 0);
        for (int pass = 0; pass < plan_.passes(); ++pass) {
            for (const std::uint32_t value : plan_.elements_of(pass)) {
                if (is_input(value)) ++passes[value];
            }
        }
        for (std::uint32_t value = 0; value < e_.inputs.size(); ++value) {
            if (passes[value] > 1 && e_.shapes[value] == RowShape::Elements) held_.push_back(value);
        }
        for (std::uint32_t o = 0; o < space_.outputs; ++o) {
            if (plan_.is_sum(e_.outputs[o])) source_.sums.push_back({o, e_.dtype_of(e_.outputs[o])});
        }
    }

    // A warp for short rows, so that several are done at once; more threads for rows that their registers hold then.
    void choose_team() {
        const std::int64_t n = space_.inner_count();
        std::int64_t bytes = 0;  // of an element, in registers
        for (const std::uint32_t value : held_) bytes += element_size(e_.inputs[value]);
        for (const FusedSource::Sum& sum : source_.sums) bytes += element_size(sum.as);
        constexpr std::int64_t kMostBytes = 192, kMostBytesOfMany = 64;  // of a thread's registers
        for (const int team : {32, 256, 1024}) {
            source_.team = team;
            source_.block = std::max(team, 256);
            const std::int64_t at_once = static_cast<std::int64_t>(team) * source_.width;
            const auto packs =
                static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((n + at_once - 1) / at_once)));
            const bool is_short = n <= (team == 32 ? 1024 : team == 256 ? 8192 : n);
            const bool fits = packs * source_.width * bytes <= (team == 1024 ? kMostBytesOfMany : kMostBytes);
            packs_ = static_cast<int>(std::min<std::int64_t>(packs, 64));
            source_.holds = bytes > 0 && fits && packs <= 64;
            if (is_short && (source_.holds || bytes == 0)) return;
        }
    }

    void write_arrays() {
        for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
            const bool is_out = a < space_.outputs;
            const int of = static_cast<int>(is_out ? e_.outputs[a] : a - space_.outputs);
            if (space_.is_on_host[a])
                line(concat("const ", register_type(space_.dtypes[a]), " ",
                            v(a - static_cast<std::uint32_t>(space_.outputs)), " = number_of<", element(a), ">(",
                            word(What::HostNumber, a), ");"),
                     of);
            else if (!is_out || !plan_.is_sum(e_.outputs[a]))
                line(concat(is_out ? "char* const " : "const char* const ", array_name(a), " = address(",
                            word(What::Address, a), ");"),
                     of);
        }
        line(concat("const std::int64_t n = ", word(What::RowLength), ";"));
    }

    void write_row() {
        line("std::int64_t left = row;");
        std::vector<std::string> names;
        for (std::uint32_t d = 0; d < space_.outer.size(); ++d) {
            names.push_back(concat("r", d));
            if (d + 1 < space_.outer.size())
                line(concat("const std::int64_t r", d, " = next_place(left, ", word(What::OuterSize, 0, d), ");"));
            else
                line(concat("const std::int64_t r", d, " = left;"));
        }
        for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
            if (space_.is_on_host[a] || shape_of(a) == RowShape::Columns) continue;
            const bool is_out = a < space_.outputs;
            line(concat(is_out ? "char* const row_" : "const char* const row_", array_name(a), " = ",
                        offset_text(What::OuterStride, a, names), ";"));
            if (!is_out && shape_of(a) == RowShape::PerRow)
                line(concat("const ", register_type(space_.dtypes[a]), " ",
                            v(a - static_cast<std::uint32_t>(space_.outputs)), " = load_one<", element(a), ">(row_",
                            array_name(a), ");"),
                     static_cast<int>(a - space_.outputs));
        }
        if (source_.holds) hold_inputs();
        for (int pass = 0; pass <= plan_.passes(); ++pass) {
            write_row_values(pass);
            if (pass < plan_.passes()) write_pass(pass);
        }
    }

    // A loop over the thread's elements, a few neighbours at a time: from i on.
    void for_elements(const std::function<void()>& body) {
        const int width = source_.width;
        if (!source_.holds) {
            block(concat("for (std::int64_t i = Team::rank() * ", width, "; i < n; i += ", source_.team * width, ")"),
                  body);
            return;
        }
        line("LOUPE_UNROLL");
        block(concat("for (int p = 0; p < ", packs_, "; ++p)"), [&] {
            line(concat("const std::int64_t i = (p * ", source_.team, " + Team::rank()) * ", width, ";"));
            line("const bool is_in = i < n;");
            body();
        });
    }
    // Elements past the end of a row are computed with, but neither read, added up nor written.
    std::string guard() const { return source_.holds ? "if (is_in) " : ""; }

    void hold_inputs() {
        for (const std::uint32_t value : held_)
            line(concat("Few<", element(array_of(value)), ", ", source_.width, "> held", value, "[", packs_, "] = {};"),
                 static_cast<int>(value));
        std::vector<std::uint32_t> arrays;
        for (const std::uint32_t value : held_) arrays.push_back(array_of(value));
        for_elements([&] {
            write_inner_places(arrays);
            for (const std::uint32_t value : held_)
                line(concat(guard(), "held", value, "[p] = ", load_text(value), ";"), static_cast<int>(value));
        });
    }
    bool is_held(std::uint32_t value) const {
        return source_.holds && std::find(held_.begin(), held_.end(), value) != held_.end();
    }

    // Where the elements from i on are.
    std::string place_text(std::uint32_t array) {
        const bool is_of_columns = shape_of(array) == RowShape::Columns;
        const std::string row = is_of_columns ? array_name(array) : "row_" + array_name(array);
        if (is_plain(array)) return concat(row, " + i * ", size_of_array(array));
        std::string text = row;
        for (std::uint32_t d = 0; d < space_.inner.size(); ++d) {
            if (space_.inner[d].strides[array] != 0)
                text += concat(" + c", d, " * ", word(What::InnerStride, array, d));
        }
        return text;
    }
    std::string load_text(std::uint32_t value) {
        const std::uint32_t a = array_of(value);
        return concat("load<", element(a), ", ", source_.width, ">(", place_text(a), ")");
    }
    void write_inner_places(const std::vector<std::uint32_t>& arrays) {
        if (std::all_of(arrays.begin(), arrays.end(), [&](std::uint32_t a) { return is_plain(a); })) return;
        line("std::int64_t across = i;");
        for (std::uint32_t d = 0; d < space_.inner.size(); ++d) {
            if (d + 1 < space_.inner.size())
                line(concat("const std::int64_t c", d, " = next_place(across, ", word(What::InnerSize, 0, d), ");"));
            else
                line(concat("const std::int64_t c", d, " = across;"));
        }
    }

    RowTexts texts_of(const RowStep& row) const {
        const FusedStep& s = step(row.value);
        RowTexts texts{s, row, {}, "n"};
        for (const runtime::FusedOperand& operand : s.inputs) texts.operands.push_back(operand_text(operand));
        return texts;
    }

    // What is there of the row before a pass: ends of sums, and steps on values per row.
    void write_row_values(int pass) {
        for (std::uint32_t value = static_cast<std::uint32_t>(e_.inputs.size()); value < e_.shapes.size(); ++value) {
            const RowStep* const row = plan_.step_of(value);
            if (row != nullptr && row->value == value && pass > row->pass && pass <= row->pass + row->passes) {
                for (const std::string& text : texts_of(*row).end(pass - row->pass - 1))
                    line(text, static_cast<int>(value));
            }
            if (!plan_.is_per_row(value) || plan_.ready(value) != pass) continue;
            if (row == nullptr)
                write_pointwise(value);
            else
                write_result(*row, value);
            for (std::uint32_t o = 0; o < space_.outputs; ++o) {
                if (e_.outputs[o] == value)
                    line(concat("if (Team::rank() == 0) store_one<", element(o), ">(row_", array_name(o), ", ",
                                v(value), ");"),
                         static_cast<int>(value));
            }
        }
    }
    void write_result(const RowStep& row, std::uint32_t value) {
        const FusedStep& s = step(value);
        const std::string result = texts_of(row).result(value - row.value);
        const bool is_converted = row.kind == RowStepKind::Reduction || s.dtype != step(row.value).kind.as;
        line(concat("const ", register_type(s.dtype), " ", v(value), " = ",
                    is_converted ? concat("as<Element::", element_name(s.dtype), ">(", result, ")") : result, ";"),
             static_cast<int>(value));
    }

    void write_pass(int pass) {
        const std::vector<std::uint32_t> values = plan_.elements_of(pass);
        std::vector<std::uint32_t> outputs, arrays;
        for (std::uint32_t o = 0; o < space_.outputs; ++o) {
            const std::uint32_t value = e_.outputs[o];
            if (!plan_.is_per_row(value) && !plan_.is_sum(value) && plan_.ready(value) == pass) outputs.push_back(o);
        }
        arrays = outputs;
        for (const std::uint32_t value : values) {
            if (is_input(value) && !is_held(value) && !space_.is_on_host[array_of(value)])
                arrays.push_back(array_of(value));
        }
        for (const RowStep& row : plan_.steps()) {
            if (pass < row.pass || pass >= row.pass + row.passes) continue;
            for (const std::string& text : texts_of(row).begin(pass - row.pass))
                line(text, static_cast<int>(row.value));
        }
        for_elements([&] {
            write_inner_places(arrays);
            for (const std::uint32_t value : values) {
                if (!is_input(value) || is_held(value) || space_.is_on_host[array_of(value)]) continue;
                line(concat("Few<", element(array_of(value)), ", ", source_.width, "> x", value, " = {};"));
                line(concat(guard(), "x", value, " = ", load_text(value), ";"), static_cast<int>(value));
            }
            for (const std::uint32_t o : outputs) line(concat("Few<", element(o), ", ", source_.width, "> y", o, ";"));
            line("LOUPE_UNROLL");
            block(concat("for (int k = 0; k < ", source_.width, "; ++k)"),
                  [&] { write_elements(pass, values, outputs); });
            for (const std::uint32_t o : outputs)
                line(concat(guard(), "store(", place_text(o), ", y", o, ");"), static_cast<int>(e_.outputs[o]));
        });
    }

    void write_elements(int pass, const std::vector<std::uint32_t>& values, const std::vector<std::uint32_t>& outputs) {
        for (const std::uint32_t value : values) {
            if (is_input(value)) {
                if (space_.is_on_host[array_of(value)]) continue;
                line(concat("const ", register_type(e_.inputs[value]), " ", v(value), " = ",
                            is_held(value) ? concat("held", value, "[p]") : concat("x", value), ".get(k);"),
                     static_cast<int>(value));
            } else if (const RowStep* const row = plan_.step_of(value); row != nullptr) {
                write_result(*row, value);
            } else {
                write_pointwise(value);
            }
        }
        for (const RowStep& row : plan_.steps()) {
            if (pass < row.pass || pass >= row.pass + row.passes) continue;
            const RowTexts texts = texts_of(row);
            const auto folds = texts.fold(pass - row.pass);
            if (!folds.empty() && source_.holds) {
                block("if (is_in)", [&] {
                    for (const std::string& text : folds) line(text, static_cast<int>(row.value));
                });
            } else {
                for (const std::string& text : folds) line(text, static_cast<int>(row.value));
            }
            if (pass == row.pass) add_to_sums(row, texts);
        }
        for (const std::uint32_t o : outputs)
            line(concat("y", o, ".set(k, ", v(e_.outputs[o]), ");"), static_cast<int>(e_.outputs[o]));
    }

    // ---- sums over the rows: of a team's rows in registers, or, where these do not hold a row, in the team's part

    std::string part_text(const FusedSource::Sum& sum) { return concat("part", sum.array); }
    void begin_sum(const FusedSource::Sum& sum) {
        const char* const type = register_type(sum.as);
        line(concat(type, "* const ", part_text(sum), " = reinterpret_cast<", type, "*>(address(",
                    word(What::Parts, sum.array), ")) + Team::index() * n;"));
        if (source_.holds)
            line(concat(type, " sum", sum.array, "_[", packs_ * source_.width, "] = {};"),
                 static_cast<int>(e_.outputs[sum.array]));
    }
    void add_to_sums(const RowStep& row, const RowTexts& texts) {
        for (const FusedSource::Sum& sum : source_.sums) {
            const std::uint32_t value = e_.outputs[sum.array];
            if (plan_.step_of(value) != &row) continue;
            const std::string part = texts.part_of_sum(value - row.value);
            if (source_.holds)
                line(concat("sum", sum.array, "_[p * ", source_.width, " + k] += ", part, ";"),
                     static_cast<int>(value));
            else
                line(concat(part_text(sum), "[i + k] = (row == Team::index() ? ", register_type(sum.as),
                            "(0) : ", part_text(sum), "[i + k]) + ", part, ";"),
                     static_cast<int>(value));
        }
    }
    void end_sum(const FusedSource::Sum& sum) {
        if (!source_.holds) return;
        for_elements([&] {
            line(concat("for (int k = 0; k < ", source_.width, "; ++k) ", guard(), part_text(sum), "[i + k] = sum",
                        sum.array, "_[p * ", source_.width, " + k];"),
                 static_cast<int>(e_.outputs[sum.array]));
        });
    }
    std::string sum_kernels() const {
        std::string text;
        for (const FusedSource::Sum& sum : source_.sums) {
            const char* const type = register_type(sum.as);
            text += concat(
                "\n// The sums of all teams: parts, how many teams, columns, where they go.\nextern \"C\" __global__ "
                "void ",
                "__launch_bounds__(256) add_sums", sum.array,
                "(const __grid_constant__ Words<4> a) {\n    char* const out = address(a.at[3]);\n",
                "    add_parts(reinterpret_cast<const ", type, "*>(address(a.at[0])), a.at[1], a.at[2],\n",
                "              [=](std::int64_t column, ", type, " sum) {\n                  store_one<",
                element(sum.array), ">(out + column * ", size_of_array(sum.array), ", as<", element(sum.array),
                ">(sum));\n              });\n}\n");
        }
        return text;
    }

    RowPlan plan_;
    std::vector<std::uint32_t> held_;  // inputs that several passes read
    int packs_ = 1;                    // of a thread in a row that is held
};

}  // namespace

FusedSource write_row_source(const FusedExpression& expression, const FusedSpace& space, bool is_aligned) {
    return RowWriter(expression, space, is_aligned).write();
}

}  // namespace loupe::cuda
