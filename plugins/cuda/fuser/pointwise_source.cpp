// SPDX-License-Identifier: Apache-2.0
// Kernels of expressions of elements: a thread has a few neighbours along the innermost dimension.
#include <algorithm>

#include "core/base/strings.h"
#include "plugins/cuda/fuser/formulas.h"
#include "plugins/cuda/fuser/source_writer.h"

namespace loupe::cuda {

using runtime::FusedExpression;
using runtime::FusedSpace;

namespace {

class PointwiseWriter : public SourceWriter {
  public:
    PointwiseWriter(const FusedExpression& expression, const FusedSpace& space, bool is_aligned)
        : SourceWriter(expression, space), is_flat_(space.outer.size() == 1) {
        source_.width = is_aligned ? widest() : 1;
    }

    FusedSource write() {
        write_arrays();
        write_numbers();
        const int width = source_.width;
        const std::string count = word(What::Count);
        line("const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * " + concat(source_.block * width, ";"));
        line(concat("std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * ", source_.block, " + threadIdx.x) * ",
                    width, ";"));
        block(concat("for (; i < ", count, "; i += step)"), [&] {
            write_places();
            write_loads();
            line("LOUPE_UNROLL");
            block(concat("for (int k = 0; k < ", width, "; ++k)"), [&] { write_elements(); });
            write_stores();
        });
        return finish();
    }

  private:
    enum class Access { HostNumber, Number, Few, One };

    Access access_of(std::uint32_t array) const {
        if (space_.is_on_host[array]) return Access::HostNumber;
        const auto& dims = space_.outer;
        const bool stays =
            std::all_of(dims.begin(), dims.end(), [&](const FusedSpace::Dim& dim) { return dim.strides[array] == 0; });
        if (stays) return Access::Number;
        return dims[0].strides[array] == 0 ? Access::One : Access::Few;
    }

    // Sixteen bytes of the largest elements, where all that lies along the innermost dimension begins on them.
    int widest() const {
        std::int64_t largest = 1;
        const auto& dims = space_.outer;
        for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
            if (access_of(a) != Access::Few) continue;
            if (dims[0].strides[a] != size_of_array(a)) return 1;
            largest = std::max(largest, size_of_array(a));
        }
        std::int64_t width = 16 / largest;
        const auto fits = [&] {
            if (is_flat_) return true;
            if (dims[0].size % width != 0) return false;
            for (std::size_t d = 1; d < dims.size(); ++d) {
                for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
                    if (access_of(a) == Access::Few && dims[d].strides[a] % (width * size_of_array(a)) != 0)
                        return false;
                }
            }
            return true;
        };
        while (width > 1 && !fits()) width /= 2;
        return static_cast<int>(width);
    }

    void write_arrays() {
        for (std::uint32_t a = 0; a < space_.dtypes.size(); ++a) {
            const auto value = static_cast<std::uint32_t>(a - space_.outputs);
            const bool is_out = a < space_.outputs;
            const int of = static_cast<int>(is_out ? e_.outputs[a] : value);
            if (access_of(a) == Access::HostNumber) {
                line(concat("const ", register_type(space_.dtypes[a]), " ", v(value), " = number_of<", element(a), ">(",
                            word(What::HostNumber, a), ");"),
                     of);
                continue;
            }
            line(concat(is_out ? "char* const " : "const char* const ", array_name(a), " = address(",
                        word(What::Address, a), ");"),
                 of);
            if (access_of(a) == Access::Number && !is_out)
                line(concat("const ", register_type(space_.dtypes[a]), " ", v(value), " = load_one<", element(a), ">(",
                            array_name(a), ");"),
                     of);
        }
    }

    // Where the elements begin: p0 along the innermost dimension.
    void write_places() {
        if (is_flat_) {
            if (source_.width > 1) line(concat("const std::int64_t here = ", word(What::Count), " - i;"));
            return;
        }
        line("std::int64_t left = i;");
        const auto last = static_cast<std::uint32_t>(space_.outer.size() - 1);
        for (std::uint32_t d = 0; d < last; ++d)
            line(concat("const std::int64_t p", d, " = next_place(left, ", word(What::OuterSize, 0, d), ");"));
        line(concat("const std::int64_t p", last, " = left;"));
    }

    std::string place_of(std::uint32_t array) {
        if (is_flat_) {
            const bool is_dense = space_.outer[0].strides[array] == size_of_array(array);
            return concat(array_name(array), " + i * ",
                          is_dense ? concat(size_of_array(array)) : word(What::OuterStride, array, 0));
        }
        std::vector<std::string> names;
        for (std::size_t d = 0; d < space_.outer.size(); ++d) names.push_back(concat("p", d));
        return offset_text(What::OuterStride, array, names);
    }
    // A last piece may have fewer elements.
    std::string rest() const { return is_flat_ && source_.width > 1 ? ", here" : ""; }

    void write_loads() {
        for (std::uint32_t value = 0; value < e_.inputs.size(); ++value) {
            const std::uint32_t a = array_of(value);
            const Access access = access_of(a);
            if (access == Access::One)
                line(concat("const ", register_type(space_.dtypes[a]), " ", v(value), " = load_one<", element(a), ">(",
                            place_of(a), ");"),
                     static_cast<int>(value));
            if (access == Access::Few)
                line(concat("const auto x", value, " = load<", element(a), ", ", source_.width, ">(", place_of(a),
                            rest(), ");"),
                     static_cast<int>(value));
        }
        for (std::uint32_t o = 0; o < space_.outputs; ++o)
            line(concat("Few<", element(o), ", ", source_.width, "> y", o, ";"));
    }

    void write_elements() {
        for (std::uint32_t value = 0; value < e_.inputs.size(); ++value) {
            if (access_of(array_of(value)) == Access::Few)
                line(concat("const ", register_type(e_.inputs[value]), " ", v(value), " = x", value, ".get(k);"),
                     static_cast<int>(value));
        }
        for (std::size_t i = 0; i < e_.steps.size(); ++i)
            SourceWriter::write_pointwise(static_cast<std::uint32_t>(e_.inputs.size() + i));
        for (std::uint32_t o = 0; o < space_.outputs; ++o)
            line(concat("y", o, ".set(k, ", v(e_.outputs[o]), ");"), static_cast<int>(e_.outputs[o]));
    }

    void write_stores() {
        for (std::uint32_t o = 0; o < space_.outputs; ++o)
            line(concat("store(", place_of(o), ", y", o, rest(), ");"), static_cast<int>(e_.outputs[o]));
    }

    bool is_flat_;
};

}  // namespace

FusedSource write_pointwise_source(const FusedExpression& expression, const FusedSpace& space, bool is_aligned) {
    return PointwiseWriter(expression, space, is_aligned).write();
}

}  // namespace loupe::cuda
