// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an operator is. Everything the engine, the window and the tests know about one hangs on its record.
//
// How to add an operator: write its record in the file of its family's folder, and name it in the family's array
// (core/ops/<family>/family.cpp). In-place and out= forms come from the record when `variants` asks for them.

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/autograd/program_tracer.h"
#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe {

class GradientContext;
class Operator;
class Random;

// The arguments in schema order, defaults filled in.
using Arguments = std::span<const IValue>;

// Metadata of a tensor that an operator will make.
struct TensorMeta {
    Dims sizes;
    ScalarType dtype = ScalarType::Float32;
    Device device = {};
    Dims strides = {};  // empty: contiguous
};
using MetaList = boost::container::small_vector<TensorMeta, 2>;

// Output metadata from input metadata alone; throws Error (Run) with PyTorch's message for inputs that do not fit.
// Must not touch elements: inputs may have none.
using InferFunction = void (*)(Arguments arguments, MetaList& outputs);
// Runs. `results` has one place a return of the schema. For a filling kernel they hold uninitialised tensors made from
// `infer` (or the tensor to overwrite, in place or out=); another puts its results there itself.
using KernelFunction = void (*)(Arguments arguments, IValue* results);
struct FillingKernel {
    KernelFunction function;
    constexpr operator KernelFunction() const { return function; }
};
struct Kernel {
    KernelFunction function = nullptr;
    bool fills = false;  // goes for the candidates of other backends too

    constexpr Kernel() = default;
    constexpr Kernel(KernelFunction f) : function(f) {}
    constexpr Kernel(FillingKernel f) : function(f.function), fills(true) {}
};
// A candidate's answer: true, or false and, when `why` is not null, the reason in words ("int64 input").
using AcceptFunction = bool (*)(Arguments arguments, std::string* why);
// Calls context.grad(...) for the inputs whose gradient is wanted.
using BackwardFunction = void (*)(GradientContext& context);
// Arithmetic operations and bytes moved, from arguments and results.
struct Cost {
    double flops = 0;
    double bytes = 0;
};
using CostFunction = Cost (*)(Arguments arguments, std::span<const IValue> results);
// One call of the operator with drawn inputs, for the sweep.
struct Sample {
    std::vector<IValue> arguments;
    std::string name = {};  // what is special about it
};
using SamplesFunction = std::vector<Sample> (*)(Random& random, ScalarType dtype);

// An argument by its name in the schema; by its place where one derivative serves operators that name it differently.
// A name is kept as its hash, made when the code is compiled and resolved when the operator is registered.
class ArgumentPlace {
  public:
    template <std::size_t N>
    consteval ArgumentPlace(const char (&name)[N]) : key_(hash(std::string_view(name, N - 1))) {}
    template <std::convertible_to<std::int32_t> Index>
    constexpr ArgumentPlace(Index index) : key_(static_cast<std::int32_t>(index)) {}

    constexpr bool is_name() const { return key_ < 0; }
    constexpr std::int32_t key() const { return key_; }  // the place, or the hash of the name

    // FNV-1a, made negative.
    static constexpr std::int32_t hash(std::string_view name) {
        std::uint32_t h = 2166136261U;
        for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
        return static_cast<std::int32_t>(h | 0x80000000U);
    }

  private:
    std::int32_t key_;
};

// A tensor to keep for backward: an argument, or a result by its place; only when the gradient of argument `if_needed`
// is wanted, where that is said.
struct Save {
    ArgumentPlace place = 0;
    bool is_result = false;
    bool is_conditional = false;
    ArgumentPlace if_needed = 0;
};
constexpr Save save_argument(ArgumentPlace argument) { return {argument}; }
constexpr Save save_argument(ArgumentPlace argument, ArgumentPlace if_needed) {
    return {argument, false, true, if_needed};
}
constexpr Save save_result(int index = 0) { return {index, true}; }
constexpr Save save_result(int index, ArgumentPlace if_needed) { return {index, true, true, if_needed}; }

struct Derivative {
    BackwardFunction backward = nullptr;
    std::array<Save, 10> saves = {};
    std::uint8_t save_count = 0;
    std::string_view node_name = {};  // "AddmmBackward0"; empty: made from the operator's name as PyTorch makes it

    constexpr Derivative() = default;
    constexpr Derivative(BackwardFunction function, std::initializer_list<Save> saved = {}, std::string_view name = {})
        : backward(function), node_name(name) {
        for (const Save& save : saved) saves[save_count++] = save;
    }
    constexpr explicit operator bool() const { return backward != nullptr; }
};

// Why a result of an operator, or a gradient that its derivative gives, is not finite though what was read was (or,
// with Infinite, turned an Inf into NaN), and what helps. Of several the first that holds is the cause.
struct NotFiniteNote {
    enum class In : std::uint8_t { Forward, Backward, Either } in = In::Forward;
    // What must hold of one of its tensors, as its numbers say.
    enum class When : std::uint8_t {
        Always,
        Zero,        // an element is 0
        ZeroBase,    // an element is 0, and the power's exponent is below 0; in backward below 1
        Negative,    // an element is below 0
        BelowOne,    // below 1
        AtMinusOne,  // not above -1
        BeyondOne,   // of magnitude above 1
        AtOne,       // of magnitude 1 or above
        Great,       // of magnitude above 80: its exponential leaves the range of float32
        Alone,       // as few elements as the result: each is all of what was reduced
        Nothing,     // no elements
        Infinite,    // some tensor that is read holds Inf, of which NaN comes
        Unwritten,   // memory that nothing has written
    } when = When::Always;
    std::int8_t tensor = 0;   // of the tensors that the operator reads, by place; -1: its result
    std::string_view cause;   // "sqrt of a negative number"
    std::string_view advice;  // "clamp it before: x.clamp(min=0).sqrt()"
    // What must be among the bad elements: a note of NaN never explains an overflow.
    enum class Makes : std::uint8_t { Any, Nan, Inf } makes = Makes::Any;
};

// Runs an operator of which an argument is sparse, the in-place form too.
using SparseFunction = void (*)(const Operator& op, Arguments arguments, IValue* results);
// How an operator takes sparse tensors: by default it refuses them.
struct SparseForm {
    SparseFunction run = nullptr;
    bool as_is = false;  // its kernel takes them: it asks for sizes and the like alone, or was made for sparse tensors
};

// What autocast does with the tensors of a call.
enum class Autocast : std::uint8_t {
    None,
    Lower,          // to the lower precision
    Float32,        // to float32
    Float32Kept,    // to float32, and the results back to the dtype of the first argument
    Widest,         // to the widest dtype among the arguments
    Float32Result,  // none; sets the dtype argument to float32 when it is not given
    Banned,         // refused, with an explanation
};
// By PyTorch's lists.
struct AutocastRule {
    Autocast cpu = Autocast::None;
    Autocast cuda = Autocast::None;

    constexpr Autocast on(DeviceType device) const { return device == DeviceType::Cuda ? cuda : cpu; }
};

// Where the tensors of a call may be.
enum class Placement : std::uint8_t {
    OneDevice,  // all on one; a kernel is for its device, what is made of other operators works on any
    Anywhere,   // its kernel touches no element, or copies between devices: it works on tensors of any
    Mixed,      // on several: indices, lengths and the like may be on the CPU
    Host,       // made of other operators, and reads elements on the way: elsewhere it runs on copies on the CPU
};

// What is special about the operator in a Python program, and so in its trace.
struct PythonFacts {
    std::optional<PythonUse> result =
        {};                         // its result is one of Python's own values; a trace warns of this use of a tensor
    bool number_is_tensor = false;  // a number goes to the overload that takes a tensor: y + 1 is aten::add(%y, {1}, 1)
    bool takes_numbers = false;     // numbers may stand where the schema has tensors: torch.add(1, y)
    bool has_older_form = false;    // torch.addmm(beta, self, alpha, mat1, mat2) is understood too
    bool keeps_integers = false;    // without a dtype and a float among its numbers it makes integers: torch.arange(3)
};

// As which operator a trace writes a call: torch.jit.trace sees convolutions one call deeper.
struct TracedForm {
    std::string_view op = {};
    std::vector<IValue> (*arguments)(Arguments arguments) = nullptr;  // empty: this call is written as it is
};

// What the shapes of results follow from, and results that are no tensors.
enum class ResultsFrom : std::uint8_t {
    Unsaid,    // shapes from metadata where the kernel fills, or views or other operators make them; numbers from
               // elements
    Metadata,  // of the arguments, always
    Elements,  // of tensors: nonzero
};

enum Variants : std::uint8_t {
    kFunctional = 0,
    kInPlace = 1,  // aten::relu_(Tensor(a!) self) -> Tensor(a!)
    kOut = 2,      // aten::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
};

// How a form refuses a tensor to write to that has another dtype. {T} is the result's dtype and {O} the other, {t} and
// {o} the same as C++ spells them, {n} the operator. Those that several operators have: core/dispatch/out_refusals.h.
struct OutRefusal {
    std::string_view of_values = {};   // empty: results are converted where PyTorch can cast
    std::string_view of_indices = {};  // of an int64 result; empty: as of_values
};

// Which element types the operator's own kernel takes; calls with others, or with results of others, are refused as
// PyTorch refuses them. Views, what is made of other operators and what works anywhere take any.
struct DtypeRule {
    DtypeSet taken = kCommonDtypes;
    std::string_view kernel = {};  // PyTorch's name of it in the refusal: "add_stub"; empty: "abs_cpu" of aten::abs
};
inline constexpr DtypeSet kWithUnsigned = kCommonDtypes | kUnsignedDtypes;
inline constexpr DtypeSet kWithFloat8 = kCommonDtypes | kFloat8NumberDtypes;

// The form that kOut asks for. Results of a kernel that fills go where they belong, others are copied. A form with a
// record of its own asks the operator's for `refusal` (core/ops/linalg/out_forms.cpp).
struct OutForm {
    std::string_view overload = "out";
    std::string_view names =
        {};  // of the tensors to write to, spaces between them; default: "out", or the results' own names
    OutRefusal refusal = {};
    bool takes_bytes = false;     // uint8 beside the dtype that `refusal` asks for
    bool reads_by_index = false;  // so `out` must not overlap itself or an input
};

struct OperatorRecord {
    std::string_view schema;        // in PyTorch's syntax, with aliasing marks
    std::string_view summary;       // one sentence
    std::string_view formula = {};  // notation: core/ops/notes.h
    ResultsFrom results_from = ResultsFrom::Unsaid;
    InferFunction infer = nullptr;
    Kernel kernel = {};                  // the portable CPU kernel: accepts everything
    KernelFunction composite = nullptr;  // instead of a kernel: written with other operators, which record themselves
    Derivative derivative = {};
    std::string_view gradient = {};  // for the reader, a line an argument: "mat1: alpha grad mat2^T"
    CostFunction cost = nullptr;     // default: reads every input, writes every output once
    SamplesFunction samples = nullptr;
    std::uint8_t variants = kFunctional;  // kInPlace needs a filling kernel
    OutForm out = {};
    bool is_random = false;         // never folded, merged or removed by passes as if it were a pure function
    bool depends_on_state = false;  // on more than its arguments: never folded
    // The argument that makes it the identity when it is False: "train" of dropout.
    std::string_view identity_without = {};
    bool is_rectifier = false;      // gives 0 for all that is below a limit: its units may be dead
    bool is_gradient_stop = false;  // results never require grad (comparisons, argmax, ...); integral results never do
    // Bit i: result i has no derivative though its dtype could have one; output_differentiability in PyTorch's table.
    std::uint8_t constant_results = 0;
    Placement placement = Placement::OneDevice;  // views work anywhere without saying so
    std::string_view writes = {};  // arguments that it writes without a mark in the schema: "running_mean running_var"
    SparseForm sparse = {};        // operators of namespaces other than aten take sparse tensors as they are
    AutocastRule autocast = {};    // of the form without out=, not in place
    PythonFacts python = {};
    std::span<const NotFiniteNote> not_finite = {};
    TracedForm traced = {};
    DtypeRule dtypes = {};

    // First: clang 14 does not look further for it in a constant expression.
    template <typename T>
    constexpr OperatorRecord with(T OperatorRecord::*field, const T& value) const {
        OperatorRecord record = *this;
        record.*field = value;
        return record;
    }
    // For records that a function makes: one(...).with_sparse({.as_is = true}).
    constexpr OperatorRecord with_formula(std::string_view text) const { return with(&OperatorRecord::formula, text); }
    constexpr OperatorRecord with_gradient(std::string_view lines) const {
        return with(&OperatorRecord::gradient, lines);
    }
    constexpr OperatorRecord with_state() const { return with(&OperatorRecord::depends_on_state, true); }
    constexpr OperatorRecord with_rectifier() const { return with(&OperatorRecord::is_rectifier, true); }
    constexpr OperatorRecord with_identity_without(std::string_view argument) const {
        return with(&OperatorRecord::identity_without, argument);
    }
    constexpr OperatorRecord with_sparse(SparseForm form) const { return with(&OperatorRecord::sparse, form); }
    constexpr OperatorRecord with_autocast(AutocastRule rule) const { return with(&OperatorRecord::autocast, rule); }
    constexpr OperatorRecord with_python(const PythonFacts& facts) const {
        return with(&OperatorRecord::python, facts);
    }
    constexpr OperatorRecord with_dtypes(const DtypeRule& rule) const { return with(&OperatorRecord::dtypes, rule); }
    constexpr OperatorRecord with_placement(Placement where) const { return with(&OperatorRecord::placement, where); }
    constexpr OperatorRecord with_not_finite(std::span<const NotFiniteNote> notes) const {
        return with(&OperatorRecord::not_finite, notes);
    }
    constexpr OperatorRecord with_out(const OutForm& form) const {
        OperatorRecord record = with(&OperatorRecord::out, form);
        record.variants |= kOut;
        return record;
    }
};

// A family: its name and its records, listed in one array.
struct OperatorFamily {
    std::string_view name;
    std::span<const OperatorRecord* const> records;
};
// All families; core/ops/families.cpp is the list.
std::span<const OperatorFamily> operator_families();

}  // namespace loupe
