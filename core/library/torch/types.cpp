// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/options.h>
#include <loupe_torch/scalar.h>
#include <loupe_torch/types.h>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/library/torch/call.h"
#include "core/ops/numbers/text.h"

namespace loupe::torch_api {

loupe::ScalarType engine_dtype(c10::ScalarType dtype) {
    return translated([&] {
        const auto known = dtype_from_number(static_cast<std::int64_t>(dtype));
        if (!known) throw loupe::Error(ErrorKind::Run, concat("there is no dtype ", static_cast<int>(dtype)));
        return *known;
    });
}
c10::ScalarType torch_dtype(loupe::ScalarType dtype) { return static_cast<c10::ScalarType>(dtype); }

loupe::Device engine_device(const c10::Device& device) {
    if (device.is_mps() || device.is_xpu() || device.is_meta())
        throw loupe::Error(ErrorKind::Unsupported, concat("there is no device ", device.str()));
    loupe::Device out;
    out.type = device.type() == c10::DeviceType::CPU    ? DeviceType::Cpu
               : device.type() == c10::DeviceType::CUDA ? DeviceType::Cuda
                                                        : DeviceType::PrivateUse1;
    out.index = device.has_index() ? device.index() : std::int8_t{0};
    return out;
}
c10::Device torch_device(loupe::Device device) {
    if (device.is_cpu()) return c10::DeviceType::CPU;
    return {device.type == DeviceType::Cuda ? c10::DeviceType::CUDA : c10::DeviceType::PrivateUse1, device.index};
}

}  // namespace loupe::torch_api

using namespace loupe::torch_api;

namespace c10 {

const char* toString(ScalarType dtype) {
    return dtype == ScalarType::Undefined ? "Undefined" : loupe::dtype_graph_name(engine_dtype(dtype)).data();
}
std::ostream& operator<<(std::ostream& out, ScalarType dtype) { return out << toString(dtype); }
std::size_t elementSize(ScalarType dtype) { return static_cast<std::size_t>(loupe::element_size(engine_dtype(dtype))); }
bool isFloatingType(ScalarType dtype) { return loupe::is_floating(engine_dtype(dtype)); }
bool isComplexType(ScalarType dtype) { return loupe::is_complex(engine_dtype(dtype)); }
bool isIntegralType(ScalarType dtype, bool include_bool) {
    return loupe::is_integral(engine_dtype(dtype)) && (include_bool || dtype != ScalarType::Bool);
}

std::ostream& operator<<(std::ostream& out, DeviceType type) { return out << Device(type).str(); }

Device::Device(const std::string& text) : type_(DeviceType::CPU), index_(-1) {
    translated([&] {
        const Device parsed = torch_device(loupe::parse_device(text));
        type_ = parsed.type_;
        index_ = text.find(':') == text.npos ? DeviceIndex{-1} : parsed.index_;
        if (type_ == DeviceType::CPU && text.find(':') != text.npos) index_ = 0;
    });
}
std::string Device::str() const {
    const std::string type = is_mps()    ? "mps"
                             : is_xpu()  ? "xpu"
                             : is_meta() ? "meta"
                                         : std::string(loupe::device_type_name(engine_device(*this).type));
    return has_index() ? loupe::concat(type, ":", static_cast<int>(index_)) : type;
}
std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
    const auto print = [&](const char* label, const auto& value, bool is_chosen) {
        out << label << std::boolalpha << value << (is_chosen ? "" : " (default)");
    };
    print("TensorOptions(dtype=", options.dtype(), options.has_dtype());
    print(", device=", options.device(), options.has_device());
    print(", layout=", options.layout(), options.has_layout());
    print(", requires_grad=", options.requires_grad(), options.has_requires_grad());
    print(", pinned_memory=", options.pinned_memory(), options.has_pinned_memory());
    out << ", memory_format=";
    if (options.has_memory_format())
        out << *options.memory_format_opt();
    else
        out << "(nullopt)";
    return out << ')';
}

std::ostream& operator<<(std::ostream& out, Layout layout) {
    return out << (layout == Layout::Strided ? "Strided" : "Sparse");
}

std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
    static constexpr const char* kNames[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
    return out << kNames[static_cast<std::size_t>(format)];
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
    if (scalar.isComplex()) return out << scalar.toComplexDouble();
    if (scalar.isBoolean()) return out << (scalar.toBool() ? "true" : "false");
    if (scalar.isIntegral(false)) return out << scalar.toLong();
    return out << scalar.toDouble();
}

}  // namespace c10

namespace caffe2 {

std::string_view TypeMeta::name() const {
    switch (dtype_) {
        case c10::ScalarType::Byte:
            return "unsigned char";
        case c10::ScalarType::Char:
            return "signed char";
        case c10::ScalarType::Short:
            return "short int";
        case c10::ScalarType::Int:
            return "int";
        case c10::ScalarType::Long:
            return "long int";
        case c10::ScalarType::Half:
            return "c10::Half";
        case c10::ScalarType::Float:
            return "float";
        case c10::ScalarType::Double:
            return "double";
        case c10::ScalarType::ComplexHalf:
            return "c10::complex<c10::Half>";
        case c10::ScalarType::ComplexFloat:
            return "c10::complex<float>";
        case c10::ScalarType::ComplexDouble:
            return "c10::complex<double>";
        case c10::ScalarType::Bool:
            return "bool";
        case c10::ScalarType::BFloat16:
            return "c10::BFloat16";
        case c10::ScalarType::Float8_e5m2:
            return "c10::Float8_e5m2";
        case c10::ScalarType::Float8_e4m3fn:
            return "c10::Float8_e4m3fn";
        case c10::ScalarType::UInt16:
            return "short unsigned int";
        case c10::ScalarType::UInt32:
            return "unsigned int";
        case c10::ScalarType::UInt64:
            return "long unsigned int";
        case c10::ScalarType::Undefined:
            break;
    }
    return "nullptr (uninitialized)";
}
std::ostream& operator<<(std::ostream& out, const TypeMeta& type) { return out << type.name(); }

}  // namespace caffe2
