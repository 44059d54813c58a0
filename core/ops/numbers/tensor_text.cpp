// SPDX-License-Identifier: Apache-2.0
// A tensor as PyTorch's C++ library prints it.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <sstream>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/ops/numbers/text.h"

namespace loupe::numbers {
namespace {

constexpr std::int64_t kLineWidth = 80;

std::vector<double> elements_of(const Tensor& tensor) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(tensor.numel()));
    Dims index(tensor.sizes().size(), 0);
    for (std::int64_t n = 0; n < tensor.numel(); ++n) {
        std::int64_t offset = tensor.storage_offset();
        for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * tensor.strides()[d];
        const Dims one;
        values.push_back(item(tensor.view_as_strided(span_of(one), span_of(one), offset)).to_double());
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < tensor.sizes()[d]) break;
            index[d] = 0;
        }
    }
    return values;
}

struct NumberFormat {
    double scale = 1;
    int width = 11;
};

int digits_before_point(double magnitude) {
    return magnitude == 0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
}

// Sets the stream's notation and returns the width and the common factor.
NumberFormat choose_format(std::ostream& out, std::span<const double> values) {
    double least = INFINITY;
    double most = 0;
    bool whole = true;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        whole = whole && value == std::ceil(value);
        least = std::min(least, std::fabs(value));
        most = std::max(most, std::fabs(value));
    }
    const bool any_finite = std::isfinite(least);
    const int low = any_finite ? digits_before_point(least) : 1;
    const int high = any_finite ? digits_before_point(most) : 1;
    if (whole && high <= 9) {
        out << std::defaultfloat;
        return {1, high + 1};
    }
    if (whole || high - low > 4) {
        out << std::scientific << std::setprecision(4);
        return {1, !whole && (std::abs(high) > 99 || std::abs(low) > 99) ? 12 : 11};
    }
    out << std::fixed << std::setprecision(4);
    if (high > 5 || high < 0) return {std::pow(10.0, high - 1), 7};
    return {1, high == 0 ? 7 : high + 6};
}

// The fewest digits that give the number again; an exponent below 1e-4 and from 1e16 on.
std::string shortest_text(double value) {
    std::array<char, 64> text;
    const auto written = [&](std::chars_format format) {
        return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format).ptr);
    };
    std::string scientific = written(std::chars_format::scientific);
    const auto mark = scientific.find('e');
    if (mark == std::string::npos) return scientific;  // inf, nan
    const int exponent = std::atoi(scientific.c_str() + mark + 1);
    return exponent < -4 || exponent >= 16 ? scientific : written(std::chars_format::fixed);
}

// A number by itself: six digits before 2.15.
std::string single_text(double value) {
    if (!is_older_torch()) return shortest_text(value);
    std::ostringstream text;
    text << value;
    return text.str();
}

void print_scale(std::ostream& out, double scale) { out << single_text(scale) << " *\n"; }

void print_matrix(std::ostream& out, std::span<const double> values, std::int64_t rows, std::int64_t columns,
                  int indent) {
    const NumberFormat format = choose_format(out, values);
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    const std::int64_t per_line = (kLineWidth - indent) / (format.width + 1);
    if (is_older_torch()) out << margin;  // later releases begin the first row without it
    for (std::int64_t first = 0; first < columns; first += per_line) {
        const std::int64_t last = std::min(first + per_line, columns) - 1;
        if (per_line < columns) {
            if (first != 0) out << '\n';
            out << "Columns " << first + 1 << " to " << last + 1 << margin;
        }
        if (format.scale != 1) {
            print_scale(out, format.scale);
            out << margin;
        }
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = first; column <= last; ++column) {
                const double value = values[static_cast<std::size_t>(row * columns + column)];
                out << std::setw(format.width) << value / format.scale << (column == last ? '\n' : ' ');
            }
            if (row != rows - 1) out << margin << (format.scale != 1 ? " " : "");
        }
    }
}

void print_stack(std::ostream& out, std::span<const double> values, IntSpan sizes) {
    const std::int64_t rows = sizes[sizes.size() - 2];
    const std::int64_t columns = sizes[sizes.size() - 1];
    const IntSpan outer = sizes.first(sizes.size() - 2);
    Dims index(outer.size(), 0);
    const std::int64_t count = rows * columns == 0 ? 0 : static_cast<std::int64_t>(values.size()) / (rows * columns);
    for (std::int64_t n = 0; n < count; ++n) {
        if (n != 0) out << '\n';
        std::int64_t matrix = 0;
        out << '(';
        for (std::size_t d = 0; d < outer.size(); ++d) {
            out << index[d] + 1 << ',';
            matrix = matrix * outer[d] + index[d];
        }
        out << ".,.) = \n";
        print_matrix(
            out,
            values.subspan(static_cast<std::size_t>(matrix * rows * columns), static_cast<std::size_t>(rows * columns)),
            rows, columns, 1);
        for (std::size_t d = 0; d < outer.size(); ++d) {  // the first index runs fastest
            if (++index[d] < outer[d]) break;
            index[d] = 0;
        }
    }
}

}  // namespace

std::string stream_text(const Tensor& tensor) {
    if (!tensor.defined()) return "[ Tensor (undefined) ]";
    std::ostringstream out;
    const IntSpan sizes = tensor.sizes();
    const std::vector<double> values = elements_of(tensor);
    if (sizes.empty()) {
        out << single_text(values[0]) << '\n';
    } else if (sizes.size() == 1) {
        if (!values.empty()) {
            const NumberFormat format = choose_format(out, values);
            if (format.scale != 1) print_scale(out, format.scale);
            for (const double value : values) out << std::setw(format.width) << value / format.scale << '\n';
        }
    } else if (!values.empty()) {
        if (sizes.size() == 2)
            print_matrix(out, values, sizes[0], sizes[1], 0);
        else
            print_stack(out, values, sizes);
    }
    out << "[ " << device_type_constant(tensor.device().type) << dtype_graph_name(tensor.dtype()) << "Type{"
        << join(sizes, ",") << "} ]";
    return out.str();
}

}  // namespace loupe::numbers
