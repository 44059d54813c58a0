// SPDX-License-Identifier: Apache-2.0
// Tensors in the layout of at::print, newlines turned into spaces.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"
#include "core/ir/printer.h"

namespace loupe::ir {
namespace {

struct Format {
    double scale = 1;
    int width = 0;
    enum class Style { General, Fixed, Scientific } style = Style::General;

    std::string text(double value) const {
        char out[64];
        const char* pattern = style == Style::Fixed ? "%*.4f" : (style == Style::Scientific ? "%*.4e" : "%*g");
        std::snprintf(out, sizeof out, pattern, width, value / scale);
        return out;
    }
};

int decimal_exponent(double magnitude) {
    return magnitude != 0 ? static_cast<int>(std::floor(std::log10(magnitude))) + 1 : 1;
}

Format choose_format(const std::vector<double>& values) {
    Format format;
    const bool whole =
        std::all_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v) || v == std::ceil(v); });
    double least = 0;
    double greatest = 0;
    bool any = false;
    for (const double v : values) {
        if (!std::isfinite(v)) continue;
        if (!any) least = greatest = std::abs(v);
        any = true;
        least = std::min(least, std::abs(v));
        greatest = std::max(greatest, v);  // signed, as in PyTorch
    }
    const int low = any ? decimal_exponent(least) : 1;
    const int high = any ? decimal_exponent(greatest) : 1;
    if (whole) {
        format.style = high > 9 ? Format::Style::Scientific : Format::Style::General;
        format.width = high > 9 ? 11 : high + 1;
    } else if (high - low > 4) {
        format.style = Format::Style::Scientific;
        format.width = std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11;
    } else {
        format.style = Format::Style::Fixed;
        format.width = high > 5 || high < 0 ? 7 : (high == 0 ? 7 : high + 6);
        if (high > 5 || high < 0) format.scale = std::pow(10, high - 1);
    }
    return format;
}

std::vector<Scalar> scalars_of(const Tensor& tensor) {
    std::vector<Scalar> values;
    const Dims ones(tensor.sizes().size(), 1);
    Dims index(tensor.sizes().size(), 0);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        std::int64_t offset = tensor.storage_offset();
        for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * tensor.strides()[d];
        values.push_back(item(tensor.view_as_strided(span_of(ones), tensor.strides(), offset)));
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < tensor.sizes()[d]) break;
            index[d] = 0;
        }
    }
    return values;
}

std::vector<double> elements_of(const Tensor& tensor) {
    std::vector<double> values;
    for (const Scalar& value : scalars_of(tensor)) values.push_back(value.to_double());
    return values;
}

std::string matrix_text(const double* values, std::int64_t rows, std::int64_t columns, int indent) {
    const Format format = choose_format({values, values + rows * columns});
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    std::string out = margin;
    if (format.scale != 1) out += concat(Format{}.text(format.scale), " * ", margin);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            out += format.text(values[r * columns + c]);
            out += ' ';
        }
        if (r + 1 < rows) out += format.scale != 1 ? margin + " " : margin;
    }
    return out;
}

std::string type_name_of(const Tensor& tensor) {
    return concat(device_type_constant(tensor.device().type), dtype_graph_name(tensor.dtype()), "Type");
}

}  // namespace

std::string print_small_tensor(const Tensor& tensor) {
    const bool is_of_complex = is_complex(tensor.dtype());
    const std::vector<double> values = is_of_complex ? std::vector<double>() : elements_of(tensor);
    const IntSpan sizes = tensor.sizes();
    std::string out;
    if (is_of_complex) {
        // PyTorch leaves the imaginary parts out, so that its text cannot be read back.
        for (const Scalar& value : scalars_of(tensor)) out += concat(complex_text(value.to_complex()), " ");
    } else if (sizes.size() == 1) {
        const Format format = choose_format(values);
        if (format.scale != 1) out += concat(Format{}.text(format.scale), " * ");
        for (const double value : values) out += concat(format.text(value), " ");
    } else if (sizes.size() == 2) {
        out += matrix_text(values.data(), sizes[0], sizes[1], 0);
    } else if (tensor.numel() > 0) {
        const std::int64_t rows = sizes[sizes.size() - 2];
        const std::int64_t columns = sizes[sizes.size() - 1];
        for (std::int64_t m = 0; m * rows * columns < tensor.numel(); ++m) {
            // The first dimension counts fastest, as in PyTorch.
            std::string place;
            std::int64_t rest = m;
            std::int64_t linear = 0;
            for (std::size_t d = 0; d + 2 < sizes.size(); ++d) {
                const std::int64_t index = rest % sizes[d];
                rest /= sizes[d];
                place += concat(index + 1, ",");
                linear = linear * sizes[d] + index;
            }
            out += concat(m == 0 ? "" : " ", "(", place, ".,.) =  ",
                          matrix_text(&values[static_cast<std::size_t>(linear * rows * columns)], rows, columns, 1));
        }
    }
    std::string shape;
    for (const std::int64_t size : sizes) shape += concat(shape.empty() ? "" : ",", size);
    return concat(out, "[ ", type_name_of(tensor), "{", shape, "} ]");
}

}  // namespace loupe::ir
