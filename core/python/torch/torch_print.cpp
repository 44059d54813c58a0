// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/ops/nested/strided.h"
#include "core/ops/quantized/quantized.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/compressed.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/sharded.h"

namespace loupe::python {
namespace {

std::string printed(const char* pattern, int precision, double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char out[400];
    std::snprintf(out, sizeof out, pattern, precision, value);
    return out;
}
std::string scientific(double value) { return printed("%.*e", print_options().precision, value); }
std::string fixed(double value) { return printed("%.*f", print_options().precision, value); }
std::string whole(double value) { return printed("%.*f", 0, value); }

// One width and one style for all elements that are shown.
class Formatter {
  public:
    void learn(const std::vector<Scalar>& values, ScalarType dtype) {
        is_floating_ = !is_integral(dtype);
        has_bits_ = dtype == ScalarType::UInt64;
        // PyTorch leaves out what equals 0, which is the smallest power for this dtype.
        if (dtype == ScalarType::Float8E8M0FNU) zero_ = static_cast<float>(Float8E8M0FNU(0.0F));
        if (is_floating_)
            learn_style(values);
        else
            for (const Scalar& value : values) widen(integer_text(value).size());
        if (print_options().sci_mode && is_floating_) sci_mode_ = *print_options().sci_mode;
    }
    std::size_t width() const { return width_; }

    std::string text(const Scalar& value) const {
        std::string out = is_floating_ ? floating_text(value.to_double()) : integer_text(value);
        return out.size() < width_ ? std::string(width_ - out.size(), ' ') + out : out;
    }

  private:
    void widen(std::size_t width) { width_ = std::max(width_, width); }

    void learn_style(const std::vector<Scalar>& values) {
        std::vector<double> telling;
        for (const Scalar& value : values) {
            const double number = value.to_double();
            if (std::isfinite(number) && number != zero_) telling.push_back(number);
        }
        if (telling.empty()) return;
        double least = std::abs(telling[0]);
        double greatest = least;
        for (const double value : telling) {
            least = std::min(least, std::abs(value));
            greatest = std::max(greatest, std::abs(value));
            if (value != std::ceil(value)) int_mode_ = false;
        }
        sci_mode_ = greatest / least > 1000 || greatest > 1e8 || (!int_mode_ && least < 1e-4);
        for (const double value : telling) {
            if (sci_mode_)
                widen(scientific(value).size());
            else if (int_mode_)
                widen(whole(value).size() + 1);
            else
                widen(fixed(value).size());
        }
    }

    std::string floating_text(double value) const {
        if (sci_mode_) return scientific(value);
        if (!int_mode_) return fixed(value);
        return std::isfinite(value) ? whole(value) + "." : whole(value);
    }
    std::string integer_text(const Scalar& value) const {
        if (value.kind() == Scalar::Kind::Bool) return value.to_bool() ? "True" : "False";
        if (has_bits_) return std::to_string(static_cast<std::uint64_t>(value.to_int()));
        return std::to_string(value.to_int());
    }

    bool is_floating_ = true;
    bool has_bits_ = false;  // those of uint64
    double zero_ = 0;
    bool int_mode_ = true;
    bool sci_mode_ = false;
    std::size_t width_ = 1;
};

Scalar element_at(const Tensor& tensor, std::int64_t offset) {
    return visit_any_dtype(tensor.dtype(), [&](auto type) -> Scalar {
        using T = typename decltype(type)::type;
        const T value = tensor.data<T>()[offset];
        if constexpr (std::is_same_v<T, bool>)
            return Scalar(value);
        else if constexpr (std::is_integral_v<T>)
            return Scalar(static_cast<std::int64_t>(value));
        else if constexpr (is_complex(scalar_type_of<T>))
            return Scalar(std::complex<double>(value));
        else
            return Scalar(static_cast<double>(value));
    });
}

class Printer {
  public:
    explicit Printer(const Tensor& tensor)
        : tensor_(on_host(tensor)),
          is_complex_(is_complex(tensor.dtype())),
          summarizes_(static_cast<double>(tensor.numel()) > print_options().threshold) {}

    std::string text(std::size_t indent) {
        std::vector<Scalar> reals;
        std::vector<Scalar> imaginaries;
        collect(0, 0, reals);
        if (is_complex_) {
            for (Scalar& value : reals) {
                imaginaries.emplace_back(value.to_complex().imag());
                value = Scalar(value.to_complex().real());
            }
            imaginary_.learn(imaginaries, tensor_.dtype());
        }
        real_.learn(reals, tensor_.dtype());
        return part(0, 0, indent);
    }

  private:
    static constexpr std::int64_t kGap = -1;

    // Which of a dimension are shown.
    std::vector<std::int64_t> shown(std::size_t dimension) const {
        const std::int64_t size = tensor_.sizes()[dimension];
        const std::int64_t edge = print_options().edgeitems;
        std::vector<std::int64_t> out;
        const bool cuts = summarizes_ && size > 2 * edge;
        for (std::int64_t i = 0; i < size; ++i) {
            if (cuts && i == edge) {
                out.push_back(kGap);
                i = size - edge;
                if (i == size) break;
            }
            out.push_back(i);
        }
        return out;
    }

    void collect(std::size_t dimension, std::int64_t offset, std::vector<Scalar>& values) const {
        if (dimension == tensor_.sizes().size()) {
            values.push_back(element_at(tensor_, offset));
            return;
        }
        for (const std::int64_t i : shown(dimension)) {
            if (i != kGap) collect(dimension + 1, offset + i * tensor_.strides()[dimension], values);
        }
    }

    std::string element(std::int64_t offset) const {
        const Scalar value = element_at(tensor_, offset);
        if (!is_complex_) return real_.text(value);
        std::string imaginary = imaginary_.text(Scalar(value.to_complex().imag())) + "j";
        imaginary.erase(0, imaginary.find_first_not_of(' '));
        const char* sign = imaginary[0] == '-' ? "" : "+";
        return real_.text(Scalar(value.to_complex().real())) + sign + imaginary;
    }

    std::string row(std::size_t dimension, std::int64_t offset, std::size_t indent) const {
        const std::size_t width = real_.width() + 2 + (is_complex_ ? imaginary_.width() + 1 : 0);
        const auto line = static_cast<std::size_t>(std::max(print_options().linewidth, 0));
        const std::size_t per_line = std::max<std::size_t>(1, line > indent ? (line - indent) / width : 1);
        std::string out = "[";
        std::size_t count = 0;
        for (const std::int64_t i : shown(dimension)) {
            if (count > 0) out += count % per_line == 0 ? ",\n" + std::string(indent + 1, ' ') : ", ";
            out += i == kGap ? " ..." : element(offset + i * tensor_.strides()[dimension]);
            ++count;
        }
        return out + "]";
    }

    std::string part(std::size_t dimension, std::int64_t offset, std::size_t indent) const {
        const std::size_t left = tensor_.sizes().size() - dimension;
        if (left == 0) return element(offset);
        if (left == 1) return row(dimension, offset, indent);
        std::string out = "[";
        for (const std::int64_t i : shown(dimension)) {
            if (out.size() > 1) out += "," + std::string(left - 1, '\n') + std::string(indent + 1, ' ');
            out += i == kGap ? "..." : part(dimension + 1, offset + i * tensor_.strides()[dimension], indent + 1);
        }
        return out + "]";
    }

    Tensor tensor_;
    bool is_complex_;
    bool summarizes_;
    Formatter real_;
    Formatter imaginary_;
};

std::string tuple_text(IntSpan sizes) {
    std::string out = "(";
    for (std::size_t i = 0; i < sizes.size(); ++i) out += concat(i > 0 ? ", " : "", size_text(sizes[i]));
    return out + (sizes.size() == 1 ? ",)" : ")");
}

void add_quantizer(const Tensor& tensor, std::vector<std::string>& out) {
    const QuantizedParts& parts = quantized_parts(tensor);
    out.push_back("size=" + tuple_text(tensor.sizes()));
    out.push_back(concat("dtype=torch.", quantized_type_of(tensor).name));
    out.push_back(concat("quantization_scheme=torch.", qscheme_name(parts.scheme)));
    if (parts.is_by_channel()) {
        out.push_back("scale=" + tensor_repr(parts.scales));
        out.push_back("zero_point=" + tensor_repr(parts.zero_points));
        out.push_back(concat("axis=", parts.axis));
    } else {
        out.push_back("scale=" + python_repr(parts.scale));
        out.push_back(concat("zero_point=", parts.zero_point));
    }
}

std::vector<std::string> suffixes_of(const Tensor& tensor) {
    std::vector<std::string> out;
    if (tensor.device().type != DeviceType::Cpu) out.push_back(concat("device='", device_name(tensor.device()), "'"));
    const ScalarType dtype = tensor.dtype();
    const std::string dtype_text = concat("dtype=torch.", dtype_name(dtype));
    if (is_quantized(tensor)) {
        add_quantizer(tensor, out);
    } else if (tensor.is_sparse()) {
        out.push_back("size=" + tuple_text(tensor.sizes()));
        out.push_back(concat(
            "nnz=", is_compressed(tensor) ? compressed_parts(tensor).entries() : coordinate_parts(tensor).entries()));
        if (dtype != default_dtype() && dtype != ScalarType::Int64 && dtype != ScalarType::Bool)
            out.push_back(dtype_text);
        out.push_back(concat("layout=torch.", is_compressed(tensor)
                                                  ? layout_python_name(compressed_parts(tensor).layout)
                                                  : std::string_view("sparse_coo")));
    } else if (tensor.numel() == 0) {
        if (tensor.dim() != 1) out.push_back("size=" + tuple_text(tensor.sizes()));
        if (dtype != default_dtype()) out.push_back(dtype_text);
    } else {
        const ScalarType usual_complex =
            default_dtype() == ScalarType::Float64 ? ScalarType::Complex128 : ScalarType::Complex64;
        const bool is_usual = dtype == default_dtype() || dtype == usual_complex || dtype == ScalarType::Int64 ||
                              dtype == ScalarType::Bool;
        if (!is_usual) out.push_back(dtype_text);
    }
    if (const auto node = grad_fn(tensor))
        out.push_back(concat("grad_fn=<", node->name(), ">"));
    else if (requires_grad(tensor))
        out.push_back("requires_grad=True");
    return out;
}

}  // namespace

PrintOptions& print_options() {
    static thread_local PrintOptions options;
    return options;
}

namespace {

// "indices=tensor([[0, 2]]),\n       values=tensor([1., 2.])".
std::string sparse_text(const Tensor& tensor, std::size_t indent) {
    const auto part = [&](const char* name, const Tensor& t) {
        const std::string start = concat(name, "=tensor(");
        return concat(
            start,
            t.numel() == 0 ? "[], size=" + tuple_text(t.sizes()) : Printer(detach(t)).text(indent + start.size()), ")");
    };
    const std::string next = ",\n" + std::string(indent, ' ');
    if (is_compressed(tensor)) {
        const CompressedParts& parts = compressed_parts(tensor);
        const bool by_rows = compresses_rows(parts.layout);
        return concat(part(by_rows ? "crow_indices" : "ccol_indices", parts.compressed), next,
                      part(by_rows ? "col_indices" : "row_indices", parts.plain), next, part("values", parts.values));
    }
    const CoordinateParts& parts = coordinate_parts(tensor);
    return concat(part("indices", parts.indices), next, part("values", parts.values));
}

}  // namespace

// torch/nested/_internal/nested_tensor.py writes itself.
std::string jagged_repr(const Tensor& tensor) {
    const JaggedParts& parts = jagged_parts(tensor);
    std::string gradient;
    if (const auto node = grad_fn(tensor))
        gradient = concat(", grad_fn=<", node->name(), " object>");
    else if (requires_grad(tensor))
        gradient = ", requires_grad=True";
    return concat("NestedTensor(size=", tuple_text(tensor.sizes()), ", offsets=", tensor_repr(parts.offsets), gradient,
                  ", contiguous=", tensor.is_contiguous() ? "True" : "False", ")");
}

// Its constituents one below the other.
std::string strided_nested_repr(const Tensor& tensor) {
    std::vector<std::string> parts;
    for (const Tensor& each : nested_ops::constituents(detach(tensor))) {
        set_requires_grad(each, requires_grad(tensor));
        std::string text = "  " + tensor_repr(each);
        for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', i + 1))
            text.insert(i + 1, "  ");
        parts.push_back(std::move(text));
    }
    std::string history;
    if (const auto node = grad_fn(tensor))
        history = concat(", grad_fn=<", node->name(), ">");
    else if (requires_grad(tensor))
        history = ", requires_grad=True";
    return concat("nested_tensor([\n", join(parts, ",\n"), "\n]", history, ")");
}

namespace {

std::string sharded_repr(const Tensor& tensor) {
    const ShardedParts& parts = sharded_parts(tensor);
    const bool is_number = parts.local.dim() == 0;
    return concat("DTensor(local_tensor=", is_number ? repr(IValue(item(parts.local))) : tensor_repr(parts.local), ", ",
                  parts.spec->describe(), ")");
}

}  // namespace

std::string tensor_repr(const Tensor& tensor) {
    if (is_jagged(tensor)) return jagged_repr(tensor);
    if (is_sharded(tensor)) return sharded_repr(tensor);
    if (is_strided_nested(tensor)) {
        const std::string text = strided_nested_repr(tensor);
        return is_parameter(tensor) ? "Parameter containing:\n" + text : text;
    }
    static constexpr std::string_view kPrefix = "tensor(";
    std::string out(kPrefix);
    bool starts_line = is_coordinate(tensor);
    const Tensor shown = is_quantized(tensor) ? quantized_ops::dequantized(tensor) : tensor;
    if (shown.is_sparse())
        out += sparse_text(shown, kPrefix.size());
    else
        out += shown.numel() == 0 ? "[]" : Printer(shown).text(kPrefix.size());
    const std::size_t newline = out.rfind('\n');
    std::size_t line = newline == std::string::npos ? out.size() + 2 : out.size() - newline + 1;
    for (const std::string& suffix : suffixes_of(tensor)) {
        if (starts_line || line + suffix.size() + 2 > static_cast<std::size_t>(print_options().linewidth)) {
            starts_line = false;
            out += ",\n" + std::string(kPrefix.size(), ' ') + suffix;
            line = kPrefix.size() + suffix.size();
        } else {
            out += ", " + suffix;
            line += suffix.size() + 2;
        }
    }
    out += ")";
    return is_parameter(tensor) ? "Parameter containing:\n" + out : out;
}

}  // namespace loupe::python
