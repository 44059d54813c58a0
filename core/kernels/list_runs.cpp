// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/list_runs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/kernels/convert.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/list_step_inl.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

constexpr std::int64_t kBlock = 256;

// One entry, a block of elements after the other: each step is a loop over the block.
template <typename T>
class HostRun {
  public:
    HostRun(const ListProgram& program, const ListEntry& entry, float* flag)
        : program_(program), entry_(entry), flag_(flag) {
        double numbers[ListProgram::kMaxNumbers];
        std::ranges::copy(entry.numbers, numbers);
        int count = program.numbers;
        for (const Tensor& t : entry.scalars) numbers[count++] = item(t).to<double>();
        const auto of = [&](std::uint8_t place) { return numbers[place - kListNumberPlace]; };
        for (int i = 0; i < program.prologue_steps; ++i) {
            const ListStep& s = program.prologue[i];
            numbers[s.to - kListNumberPlace] = list_value(s.op, of(s.a), of(s.b), of(s.c));
        }
        count += program.prologue_steps;
        for (int i = 0; i < count; ++i) numbers_[static_cast<std::size_t>(i)].fill(static_cast<T>(numbers[i]));
        for (int t = 0; t < program.tensors; ++t) {
            const ScalarType dtype = entry.tensors[static_cast<std::size_t>(t)].dtype();
            load_[static_cast<std::size_t>(t)] = convert_function(dtype, scalar_type_of<T>);
            store_[static_cast<std::size_t>(t)] = convert_function(scalar_type_of<T>, dtype);
        }
    }

    void run(std::int64_t begin, std::int64_t end) const {
        std::array<std::array<T, kBlock>, ListProgram::kMaxRegisters> registers;
        for (std::int64_t at = begin; at < end; at += kBlock) {
            const std::int64_t count = std::min(kBlock, end - at);
            for (std::size_t t = 0; t < program_.tensors; ++t) {
                if (program_.is_read[t]) load_[t](place(t, at), size(t), registers[t].data(), sizeof(T), count);
            }
            const auto of = [&](std::uint8_t operand) {
                return operand < kListNumberPlace
                           ? registers[operand].data()
                           : numbers_[static_cast<std::size_t>(operand - kListNumberPlace)].data();
            };
            for (int i = 0; i < program_.steps; ++i) {
                const ListStep& s = program_.step[i];
                step(s.op, registers[s.to].data(), of(s.a), of(s.b), of(s.c), count);
            }
            for (std::size_t t = 0; t < program_.tensors; ++t) {
                if (program_.is_written[t]) store_[t](of(program_.result[t]), sizeof(T), place(t, at), size(t), count);
            }
        }
    }

  private:
    std::int64_t size(std::size_t t) const { return entry_.tensors[t].element_size(); }
    char* place(std::size_t t, std::int64_t at) const {
        return static_cast<char*>(entry_.tensors[t].address()) + at * size(t);
    }
    void step(ListOp op, T* to, const T* a, const T* b, const T* c, std::int64_t count) const {
        if (op == ListOp::FlagInfinite && flag_ != nullptr) {
            if (!std::all_of(a, a + count, [](T x) { return std::isfinite(x); })) *flag_ = 1;
        }
        for (std::int64_t i = 0; i < count; ++i) to[i] = list_value(op, a[i], b[i], c[i]);
    }

    const ListProgram& program_;
    const ListEntry& entry_;
    float* flag_;
    std::array<std::array<T, kBlock>, ListProgram::kMaxNumbers> numbers_;
    std::array<ConvertFunction, ListProgram::kMaxTensors> load_{}, store_{};
};

template <typename T>
void run_on_host(const ListCall& call) {
    // Several threads may say it at once: each writes the same.
    float* const flag = call.flag.defined() ? call.flag.data<float>() : nullptr;
    for (const ListEntry& entry : call.entries) {
        const HostRun<T> run(call.program, entry, flag);
        constexpr std::int64_t kGrain = 1 << 14;
        parallel_for(0, entry.tensors[0].numel(), kGrain,
                     [&](std::int64_t begin, std::int64_t end) { run.run(begin, end); });
    }
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::Run, why); }

// What lists of a program hold is the caller's: nothing is read or written by it that the loops cannot walk.
void check_entries(const ListCall& call) {
    const auto check_number = [](const Tensor& t, const char* what) {
        if (t.defined() && (t.numel() != 1 || is_complex(t.dtype())))
            refuse(concat(what, " must be one real number, got ", t.numel(), " of ", dtype_name(t.dtype())));
    };
    for (const ListEntry& entry : call.entries) {
        for (const Tensor& t : entry.tensors) {
            if (!t.defined()) refuse("a list of tensors has one that is undefined");
            if (t.numel() != entry.tensors[0].numel())
                refuse(concat("Tensors of corresponding lists must have the same size, got ", t.numel(), " and ",
                              entry.tensors[0].numel(), " elements"));
            if (convert_function(t.dtype(), ScalarType::Float32) == nullptr || is_complex(t.dtype()))
                refuse(concat("lists of tensors are not computed with in ", dtype_name(t.dtype())));
        }
        for (const Tensor& t : entry.scalars) {
            if (!t.defined()) refuse("a list of numbers has one that is undefined");
            check_number(t, "a step or rate that is a tensor");
        }
    }
    check_number(call.skip, "found_inf");
    check_number(call.flag, "found_inf");
    if (call.flag.defined() && call.flag.dtype() != ScalarType::Float32) refuse("found_inf must be a float tensor.");
}

void check_device(const ListCall& call, Device device) {
    const auto check = [&](const Tensor& t) {
        if (!t.defined() || t.device() == device) return;
        throw Error(ErrorKind::Run,
                    concat("Expected all tensors to be on the same device, but found at least two devices, ",
                           device_name(device), " and ", device_name(t.device()), "!"));
    };
    for (const ListEntry& entry : call.entries) {
        std::ranges::for_each(entry.tensors, check);
        std::ranges::for_each(entry.scalars, check);
    }
    check(call.skip);
    check(call.flag);
}

// For a device that has no such kernel.
void run_on_copies(const ListCall& call, Device device) {
    HostCopies copies;
    const auto copied = [&](const Tensor& t) { return t.defined() ? copies.of(t) : t; };
    ListCall host = call;
    for (ListEntry& entry : host.entries) {
        for (Tensor& t : entry.tensors) t = copied(t);
        for (Tensor& t : entry.scalars) t = copied(t);
    }
    host.skip = copied(call.skip);
    host.flag = copied(call.flag);
    run_lists_on_host(host);
    for (std::size_t i = 0; i < call.entries.size(); ++i) {
        for (std::size_t t = 0; t < call.program.tensors; ++t) {
            if (call.program.is_written[t]) copies.put_back(call.entries[i].tensors[t], host.entries[i].tensors[t]);
        }
    }
    if (call.flag.defined()) copies.put_back(call.flag, host.flag);
    copies.tell(device);
}

}  // namespace

ListLoops::~ListLoops() = default;

void run_lists_on_host(const ListCall& call) {
    if (call.skip.defined() && item(call.skip).to<double>() != 0) return;
    if (call.in_double)
        run_on_host<double>(call);
    else
        run_on_host<float>(call);
}

void run_lists(const ListCall& call) {
    if (call.entries.empty()) return;
    check_entries(call);
    const Device device = call.entries[0].tensors[0].device();
    check_device(call, device);
    if (device.is_cpu()) return run_lists_on_host(call);
    auto* const loops = dynamic_cast<ListLoops*>(device_loops(device));
    if (loops == nullptr || !loops->run_lists(call)) run_on_copies(call, device);
}

DenseEntry::DenseEntry(TensorList tensors) : given_(std::move(tensors)) {
    for (const Tensor& t : given_) {
        if (!t.defined()) refuse("a list of tensors has one that is undefined");
        if (is_complex(t.dtype()) != is_complex(given_[0].dtype()) || !std::ranges::equal(t.sizes(), given_[0].sizes()))
            refuse(concat("Tensors of corresponding lists must have the same size, got ",
                          shape_list_text(given_[0].sizes()), " and ", shape_list_text(t.sizes())));
        if (!is_complex(t.dtype())) {
            dense_.push_back(t);
            continue;
        }
        // [..., 2]: real and imaginary parts.
        const ScalarType real = t.dtype() == ScalarType::Complex128 ? ScalarType::Float64 : ScalarType::Float32;
        Ptr<TensorImpl> impl(new TensorImpl);
        impl->storage = t.storage();
        impl->offset = 2 * t.storage_offset();
        impl->dtype = real;
        Dims sizes = to_dims(t.sizes()), strides;
        for (const std::int64_t stride : t.strides()) strides.push_back(2 * stride);
        sizes.push_back(2);
        strides.push_back(1);
        impl->set_sizes_strides(span_of(sizes), span_of(strides));
        dense_.emplace_back(std::move(impl));
    }
    given_ = dense_;
    const Tensor first = dense_[0];
    const bool is_dense = first.is_non_overlapping_and_dense();
    for (Tensor& t : dense_) {
        if (is_dense && std::ranges::equal(t.strides(), first.strides())) continue;
        const Tensor copy = is_dense ? empty_strided(t.sizes(), first.strides(), t.dtype(), t.device())
                                     : empty(t.sizes(), t.dtype(), t.device());
        copy_into(copy, t);
        t = copy;
    }
}

void DenseEntry::put_back(const ListProgram& program) const {
    for (std::size_t t = 0; t < given_.size(); ++t) {
        if (program.is_written[t] && !dense_[t].is_same(given_[t])) copy_into(given_[t], dense_[t]);
    }
}

}  // namespace loupe
