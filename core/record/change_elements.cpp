// SPDX-License-Identifier: Apache-2.0
// What a change puts in place of elements; apart from the description of a change, which recorders and files have.
#include <charconv>
#include <cstring>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/numpy/npy.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/function.h"
#include "core/ir/source.h"
#include "core/model/model_info.h"
#include "core/record/change_source.h"
#include "core/record/recording_file.h"
#include "core/record/reduce_tensor.h"
#include "core/record/value_change.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/script/compile.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ErrorKind::Usage, why, {.hint = "write it of x, as in x * 2, zeros, 0.5, or give a .npy file"});
}

std::string shape_of(const Tensor& t) {
    return t.dim() == 0 ? std::string("one number") : shape_text(Shape(t.sizes().begin(), t.sizes().end()));
}

Tensor number_tensor(const IValue& value) {
    if (value.is_bool()) return scalar_tensor(value.to_bool(), ScalarType::Bool);
    if (value.is_int()) return scalar_tensor(value.to_int(), ScalarType::Int64);
    return scalar_tensor(value.to_double(), ScalarType::Float32);
}

Tensor mean_like(const Tensor& x) { return fn::add(fn::zeros_like(x), fn::mean(x), Scalar(1)); }

Tensor evaluated(const Tensor& x, const std::string& formula) {
    if (formula.find('\n') != std::string::npos) refuse("a formula is one line");
    const std::string text =
        concat("def change(x : Tensor, zeros : Tensor, ones : Tensor, mean : Tensor):\n    return ", formula, "\n");
    const auto unit = make_ptr<ir::CompilationUnit>();
    IValue result;
    try {
        script::define(*unit, std::make_shared<const ir::Source>(text, "<formula>"), {});
        const ir::ScriptFunction* function = unit->find_function("change");
        if (function == nullptr) refuse(concat("'", formula, "' is no formula"));
        const Tensor mean = is_floating(x.dtype()) ? mean_like(x) : fn::clone(x);
        // A copy: a formula may write into it, or give its memory away.
        result = runtime::run_function(*function, {fn::clone(x), fn::zeros_like(x), fn::ones_like(x), mean});
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        std::string why = error.message();
        why.resize(std::min(why.find('\n'), why.size()));
        refuse(concat("'", formula, "': ", why));
    }
    if (result.is_number() && !result.is_complex()) {
        // A Python number takes the dtype of what it is put into, as in x[0] = 0.5.
        const Tensor number = number_tensor(result);
        return is_floating(x.dtype()) ? fn::to_dtype(number, static_cast<std::int64_t>(x.dtype())) : number;
    }
    if (!result.is_tensor() || !result.to_tensor().defined()) refuse(concat("'", formula, "' gives no tensor"));
    return result.to_tensor();
}

constexpr std::string_view kRecording = ".loupe";

// "run.loupe", "run.loupe#12".
bool names_recording(std::string_view formula) {
    const auto hash = formula.rfind('#');
    return formula.ends_with(kRecording) ||
           (hash != std::string_view::npos && formula.substr(0, hash).ends_with(kRecording));
}

Tensor from_recording(const Tensor& x, const ValueChange& change, const std::string& formula) {
    const bool has_number = !formula.ends_with(kRecording);
    const auto hash = formula.rfind('#');
    std::uint32_t id = change.value;
    if (has_number) {
        const char* const end = formula.data() + formula.size();
        const auto [at, failed] = std::from_chars(formula.data() + hash + 1, end, id);
        if (failed != std::errc() || at != end) refuse(concat("'", formula, "' says no value of a recording"));
    }
    const RecordingFile file(has_number ? formula.substr(0, hash) : formula);
    const std::size_t count = file.recording()->value_count();
    const Tensor t = id != 0 && id <= count ? file.elements(id) : Tensor();
    if (!t.defined()) refuse(concat(formula, " has no elements of value ", id));
    // Of the whole value, which the slice is taken of too.
    return change.slice.empty() || t.dim() == x.dim() ? slice_tensor(t, change.slice) : t;
}

constexpr std::string_view kReference = "reference ";

// "reference 2 57".
Tensor from_reference(const std::string& formula) {
    const std::string numbers = formula.substr(kReference.size());
    int id = 0;
    std::uint32_t value = 0;
    const char* const end = numbers.data() + numbers.size();
    const auto first = std::from_chars(numbers.data(), end, id);
    const bool has_two = first.ec == std::errc() && first.ptr != end && *first.ptr == ' ';
    const auto second = has_two ? std::from_chars(first.ptr + 1, end, value) : first;
    if (!has_two || second.ec != std::errc() || second.ptr != end)
        refuse(concat("'", formula, "' says no value of a pinned run"));
    if (reference_elements() == nullptr) refuse("no run is pinned here");
    const Tensor t = (*reference_elements())(id, value);
    if (!t.defined()) refuse("the run that is pinned kept no elements of it");
    return t;
}

thread_local const ReferenceElements* thread_elements = nullptr;

}  // namespace

ReferenceElementsScope::ReferenceElementsScope(const ReferenceElements& elements)
    : ScopedValue(thread_elements, &elements) {}

const ReferenceElements* reference_elements() { return thread_elements; }

Tensor changed_elements(const Tensor& given, const ValueChange& change) {
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const Tensor x = slice_tensor(on_host(given), change.slice);
    std::string formula = change.formula;
    while (formula.ends_with(' ')) formula.pop_back();
    while (formula.starts_with(' ')) formula.erase(0, 1);
    if (formula.empty()) refuse("nothing is said to put there");
    const Tensor now = formula.ends_with(".npy")         ? read_npy(formula)
                       : formula.starts_with(kReference) ? from_reference(formula)
                       : names_recording(formula)        ? from_recording(x, change, formula)
                                                         : evaluated(x, formula);
    if (!can_cast(now.dtype(), x.dtype()))
        refuse(concat("'", formula, "' is ", dtype_name(now.dtype()), ", which ", dtype_name(x.dtype()),
                      " does not hold"));
    Tensor fitting;
    try {
        fitting = fn::expand(now, to_dims(x.sizes()), false);
    } catch (const Error&) {
        refuse(concat("'", formula, "' is ", shape_of(now), "; what it is put into is ", shape_of(x)));
    }
    return fn::clone(fn::contiguous(fn::to_dtype(fitting, static_cast<std::int64_t>(x.dtype())), 0));
}

void overwrite(const Tensor& t, std::string_view slice, const Tensor& now) {
    const Tensor host = on_host(t);
    const Tensor to = slice_tensor(host, slice);
    const auto size = static_cast<std::size_t>(to.element_size());
    auto* const bytes = static_cast<std::byte*>(to.raw_data());
    const auto* const from = static_cast<const std::byte*>(now.raw_data());
    std::vector<std::int64_t> index(static_cast<std::size_t>(to.dim()), 0);
    for (std::int64_t i = 0; i < to.numel(); ++i) {
        std::int64_t left = i;
        std::int64_t offset = 0;
        for (std::size_t d = index.size(); d-- > 0;) {
            offset += left % to.sizes()[d] * to.strides()[d];
            left /= to.sizes()[d];
        }
        std::memcpy(bytes + static_cast<std::size_t>(offset) * size, from + static_cast<std::size_t>(i) * size, size);
    }
    if (!t.is_host_memory()) copy_memory(t, host);
}

}  // namespace loupe::session
