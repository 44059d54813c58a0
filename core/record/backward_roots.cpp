// SPDX-License-Identifier: Apache-2.0
#include "core/record/backward_roots.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/numpy/npy.h"
#include "core/model/apply_loss.h"
#include "core/model/data_batches.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/model/literal.h"
#include "core/ops/random/generator.h"
#include "core/record/recorder.h"
#include "core/tensor/device_copy.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

using Kind = BackwardFrom::Kind;

// The default generator goes on as if nothing had been drawn.
struct KeptRandom {
    RandomState state = random_state();
    KeptRandom() = default;
    KeptRandom(const KeptRandom&) = delete;
    KeptRandom& operator=(const KeptRandom&) = delete;
    ~KeptRandom() { set_random_state(state); }
};

Recorder* active_recorder() { return dynamic_cast<Recorder*>(execution_observer()); }

const std::vector<IValue>* elements_of(const IValue& value) {
    if (value.is_list()) return &value.to_list().elements;
    return value.is_tuple() ? &value.to_tuple().elements : nullptr;
}

// Sizes of nested lists, and their numbers in order. Throws Error (Run) with PyTorch's words.
struct NestedNumbers {
    Dims sizes;
    std::vector<IValue> numbers;

    void add(const IValue& value, std::size_t depth) {
        const auto* elements = elements_of(value);
        if (elements == nullptr) {
            if (!value.is_number() && !value.is_bool())
                throw Error(ErrorKind::Usage, concat("a target holds numbers, not ", python_repr(value)));
            if (depth != sizes.size()) throw Error(ErrorKind::Run, "a target's lists nest unevenly");
            numbers.push_back(value);
            return;
        }
        const auto length = static_cast<std::int64_t>(elements->size());
        if (numbers.empty() && depth == sizes.size()) sizes.push_back(length);
        if (depth >= sizes.size() || sizes[depth] != length) {
            throw Error(ErrorKind::Run, concat("expected sequence of length ", depth < sizes.size() ? sizes[depth] : 0,
                                               " at dim ", depth, " (got ", length, ")"));
        }
        for (const IValue& element : *elements) add(element, depth + 1);
    }
};

// As torch.tensor makes it: whole numbers int64, others float32.
Tensor tensor_of(const IValue& literal) {
    NestedNumbers nested;
    nested.add(literal, 0);
    const auto all = [&](auto&& test) { return std::all_of(nested.numbers.begin(), nested.numbers.end(), test); };
    const bool is_bool = !nested.numbers.empty() && all([](const IValue& v) { return v.is_bool(); });
    const bool is_whole = !nested.numbers.empty() && all([](const IValue& v) { return v.is_int() || v.is_bool(); });
    const ScalarType dtype = is_bool ? ScalarType::Bool : is_whole ? ScalarType::Int64 : ScalarType::Float32;
    const Tensor t = empty(span_of(nested.sizes), dtype);
    for (std::size_t i = 0; i < nested.numbers.size(); ++i) {
        const IValue& number = nested.numbers[i];
        if (is_bool)
            t.data<bool>()[i] = number.to_bool();
        else if (is_whole)
            t.data<std::int64_t>()[i] = number.is_bool() ? (number.to_bool() ? 1 : 0) : number.to_int();
        else
            t.data<float>()[i] =
                static_cast<float>(number.is_bool() ? (number.to_bool() ? 1.0 : 0.0) : number.to_double());
    }
    return t;
}

Tensor first_tensor(const IValue& value) {
    const TensorList all = flatten_tensors(value);
    if (all.empty() || !all.front().defined()) throw Error(ErrorKind::Run, "the model gives no tensor");
    return all.front();
}

// One number stands for a target of the loss's shape.
Tensor spread(const Tensor& number, const Tensor& output, bool counts_classes) {
    Dims sizes;
    for (std::int64_t d = 0; d < output.dim(); ++d) {
        const bool is_class_dimension = counts_classes && d == (output.dim() == 1 ? 0 : 1);
        if (!is_class_dimension) sizes.push_back(output.size(d));
    }
    return fn::contiguous(fn::expand(number, sizes, false), 0);
}

// The rows again and again until there are as many as the output has.
Tensor with_rows(const Tensor& target, const Tensor& output) {
    const bool has_too_few =
        target.dim() > 0 && output.dim() > 0 && target.size(0) > 0 && target.size(0) < output.size(0);
    if (!has_too_few) return target;
    const Tensor index = empty(IntSpan(output.sizes().data(), 1), ScalarType::Int64);
    for (std::int64_t i = 0; i < output.size(0); ++i) index.data<std::int64_t>()[i] = i % target.size(0);
    return fn::index_select(target, 0, index);
}

std::int64_t element_count(const TensorList& tensors) {
    std::int64_t count = 0;
    for (const Tensor& t : tensors) count += t.numel();
    return count;
}

TensorList requiring_grad(const TensorList& outputs) {
    TensorList all;
    for (const Tensor& t : outputs) {
        if (t.defined() && requires_grad(t)) all.push_back(t);
    }
    return all;
}

BackwardFrom decided(BackwardFrom from, const PreparedMethod& method) {
    if (from.kind != Kind::Default) return from;
    const bool has_target = from.target.source != LossTarget::Source::None;
    const int takes = method.loss_arguments();
    from.kind = takes == 1 || (takes == 2 && has_target) ? Kind::Own : Kind::Sum;
    return from;
}

void check_own(const BackwardFrom& from, const PreparedMethod& method) {
    const int takes = method.loss_arguments();
    if (takes == 0) {
        throw Error(ErrorKind::Usage, "name 'loss' is not defined",
                    {.hint = "the model's source has no `loss` of the output, or of the output and a target"});
    }
    if (takes == 2 && from.target.source == LossTarget::Source::None) {
        throw Error(ErrorKind::Usage, "the source's loss() missing 1 required positional argument: 'target'",
                    {.hint = "give a target, or start backward from the sum of outputs"});
    }
}

// The source's own loss gets a typed number as it is: only the source knows the shape that it wants.
IValue own_loss(const PreparedMethod& method, const IValue& output, const IValue& target) {
    const bool is_number = target.is_tensor() && target.to_tensor().dim() == 0;
    const Tensor first = first_tensor(output);
    if (!is_number || first.dim() == 0) return method.loss(output, target);
    try {
        return method.loss(output, target);
    } catch (Error& error) {
        if (error.kind() != ErrorKind::Cancelled && error.context().hint.empty())
            error.add_context(
                {.hint = concat("the target is one number, the output ", describe(first),
                                ": give a number for each, as [3, 1, ...], a file, or the data's labels")});
        throw;
    }
}

}  // namespace

BackwardSource::BackwardSource(const BackwardFrom& from, const PreparedMethod& method, std::uint64_t seed)
    : from_(decided(from, method)), seed_(seed) {
    const NestedCallScope nested;
    if (from_.kind == Kind::Own) check_own(from_, method);
    if (from_.kind == Kind::Loss) {
        loss_ = make_loss(from_.loss);
        if (from_.target.source == LossTarget::Source::None) {
            throw Error(ErrorKind::Usage, concat(from_.loss, " needs a target"),
                        {.hint = "type it, or take it from a file or the data"});
        }
    }
    if (from_.kind == Kind::Cotangents) cotangents_ = read_cotangents(from_.file);
    const MemoryCategoryScope category(MemoryCategory::Input);
    if (from_.target.source == LossTarget::Source::Typed)
        target_ = tensor_of(literal_value(from_.target.text, *types::any()));
    if (from_.target.source == LossTarget::Source::File)
        target_ = read_input_value(from_.target.text, from_.target.key);
}

// The targets of as many examples of the data as the output has rows, in the data's order. A run that is repeated reads
// them once.
Tensor BackwardSource::data_target(const Tensor& output) const {
    const std::int64_t rows = output.dim() > 0 ? output.size(0) : 1;
    if (data_target_.defined() && data_rows_ == rows) return data_target_;
    const KeptRandom random;  // reading draws numbers, and may fail
    BatchOptions options;
    options.batch_size = rows;
    options.shuffle = false;
    options.seed = seed_;
    const BatchedData sets = open_batches(from_.target.data, options);
    sets.training->begin_epoch();
    const auto batch = sets.training->next();
    if (!batch || !batch->target.is_tensor())
        throw Error(ErrorKind::Usage, "the data has no targets", {.file = from_.target.data.path});
    data_target_ = batch->target.to_tensor();
    data_rows_ = rows;
    return data_target_;
}

IValue BackwardSource::target(const Tensor& output) const {
    const NestedCallScope nested;
    const GradModeScope no_grad(false);
    const MemoryCategoryScope category(MemoryCategory::Input);
    IValue target = target_ ? *target_ : IValue(data_target(output));
    const bool is_number = loss_ && from_.target.source == LossTarget::Source::Typed && target.is_tensor() &&
                           target.to_tensor().dim() == 0;
    if (is_number) target = spread(target.to_tensor(), output, takes_classes(*loss_));
    if (repeats_targets_ && target.is_tensor()) target = with_rows(target.to_tensor(), output);
    const auto beside_output = [&](const Tensor& t) { return on_device(t, output.device()); };
    return output.device().is_cpu() ? target : map_tensors(target, beside_output);
}

BackwardRoots BackwardSource::of_loss(const Tensor& loss) const {
    if (!loss.defined()) throw Error(ErrorKind::Run, "the loss gives no tensor");
    return roots_of_loss(loss, backward_from_text(from_));
}

BackwardRoots BackwardSource::of_element(const TensorList& outputs) const {
    if (from_.output >= outputs.size()) {
        throw Error(ErrorKind::Usage,
                    concat("the model gives ", outputs.size(), outputs.size() == 1 ? " output" : " outputs",
                           ": there is no out", from_.output));
    }
    const Tensor& output = outputs[from_.output];
    if (static_cast<std::int64_t>(from_.index.size()) > output.dim()) {
        throw Error(ErrorKind::Run, concat("too many indices for tensor of dimension ", output.dim()));
    }
    for (std::size_t d = 0; d < from_.index.size(); ++d) {
        const std::int64_t size = output.size(static_cast<std::int64_t>(d));
        const std::int64_t index = from_.index[d];
        if (index < -size || index >= size) {
            throw Error(ErrorKind::Run,
                        concat("index ", index, " is out of bounds for dimension ", d, " with size ", size));
        }
    }
    std::int64_t left = 1;
    for (auto d = static_cast<std::int64_t>(from_.index.size()); d < output.dim(); ++d) left *= output.size(d);
    if (left != 1) {
        throw Error(
            ErrorKind::Run, "grad can be implicitly created only for scalar outputs",
            {.hint = concat("out", from_.output, " is ", describe(output), ": give an index for every dimension")});
    }
    BackwardRoots roots{requiring_grad({output}), {}, backward_from_text(from_), false};
    roots.make_gradients = [output, index = from_.index] {
        const Tensor gradient = fn::zeros_like(detach(output));
        std::int64_t place = gradient.storage_offset();
        for (std::size_t d = 0; d < index.size(); ++d) {
            const auto dimension = static_cast<std::int64_t>(d);
            place += (index[d] < 0 ? index[d] + output.size(dimension) : index[d]) * gradient.stride(dimension);
        }
        static const OperatorHandle<> fill("aten::fill_.Scalar");
        fill(gradient.view_as_strided({}, {}, place), 1.0);
        return TensorList{gradient};
    };
    return roots;
}

BackwardRoots BackwardSource::of_outputs(const TensorList& outputs) const {
    BackwardRoots roots = roots_of_outputs(outputs, cotangents_);
    roots.text = backward_from_text(from_);
    if (from_.kind == Kind::Cotangents) return roots;
    // A single number is what a model that computes its own loss gives.
    const bool is_scalar = roots.tensors.size() == 1 && roots.tensors.front().numel() == 1;
    if (is_scalar && from_.kind == Kind::Sum) {
        roots.text = "the output, one number";
        roots.is_loss = roots.tensors.front().dim() == 0;
    }
    if (from_.kind == Kind::Sum) return roots;
    const double each = 1.0 / static_cast<double>(std::max<std::int64_t>(1, element_count(roots.tensors)));
    roots.make_gradients = [tensors = roots.tensors, each] {
        TensorList gradients;
        for (const Tensor& t : tensors) gradients.push_back(fn::full_like(detach(t), each));
        return gradients;
    };
    return roots;
}

BackwardRoots BackwardSource::roots(const PreparedMethod& method, const IValue& output) const {
    const bool has_target = from_.kind == Kind::Loss || (from_.kind == Kind::Own && method.loss_arguments() == 2);
    if (has_target) {
        const IValue wanted = target(first_tensor(output));
        if (Recorder* recorder = active_recorder()) {
            visit_tensors(wanted, [&](const Tensor& t) { recorder->name_value(t, "target", Category::Input); });
            if (loss_) recorder->name_modules(*loss_, "loss");
        }
        if (loss_) loss_->to({.device = first_tensor(output).device()});  // its weights of classes
        if (from_.kind == Kind::Loss) return of_loss(apply_loss(*loss_, first_tensor(output), wanted));
        return of_loss(first_tensor(own_loss(method, output, wanted)));
    }
    if (from_.kind == Kind::Own) return of_loss(first_tensor(method.loss(output)));
    const TensorList outputs = flatten_tensors(output);
    return from_.kind == Kind::Element ? of_element(outputs) : of_outputs(outputs);
}

BackwardRoots roots_of_loss(const Tensor& loss, const std::string& text) {
    if (loss.numel() != 1) {
        throw Error(ErrorKind::Run, "grad can be implicitly created only for scalar outputs",
                    {.hint = concat("the loss is ", describe(loss))});
    }
    BackwardRoots roots{requiring_grad({loss}), {}, text, true};
    roots.make_gradients = [loss] { return TensorList{fn::ones_like(detach(loss))}; };
    return roots;
}

BackwardRoots roots_of_outputs(const TensorList& outputs, const TensorList& cotangents) {
    BackwardRoots roots{
        requiring_grad(outputs), {}, cotangents.empty() ? "sum of outputs" : "gradients of the outputs", false};
    roots.make_gradients = [outputs, cotangents] {
        TensorList gradients;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!outputs[i].defined() || !requires_grad(outputs[i])) continue;
            const bool is_given = i < cotangents.size() && cotangents[i].defined();
            gradients.push_back(is_given ? on_device(cotangents[i], outputs[i].device())
                                         : Tensor(fn::ones_like(detach(outputs[i]))));
        }
        return gradients;
    };
    return roots;
}

void run_backward(const BackwardRoots& roots) {
    if (roots.tensors.empty()) {
        throw Error(ErrorKind::Run, "element 0 of tensors does not require grad and does not have a grad_fn",
                    {.hint = "no output depends on a parameter or input that requires grad"});
    }
    const NestedCallScope nested;  // the recorder itself writes down what it starts from
    Recorder* recorder = active_recorder();
    if (recorder != nullptr) recorder->begin_backward(roots.tensors, {0, roots.text, roots.is_loss});
    const TensorList gradients = roots.make_gradients();
    if (recorder != nullptr) recorder->end_backward_start(roots.tensors, gradients);
    backward(roots.tensors, gradients);
}

TensorList read_cotangents(const std::string& file) {
    TensorList all;
    if (!file.ends_with(".npz")) return all;
    for (const auto& [name, t] : read_npz(file)) {
        if (!name.starts_with("cot")) continue;
        const std::size_t index = std::strtoull(name.c_str() + 3, nullptr, 10);
        if (index > 10'000)
            throw Error(ErrorKind::Usage, concat("'", name, "' is no cotangent of an output"), {.file = file});
        if (all.size() <= index) all.resize(index + 1);
        all[index] = t;
    }
    return all;
}

}  // namespace loupe::session
