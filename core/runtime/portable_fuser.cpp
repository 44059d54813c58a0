// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/portable_fuser.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/strings.h"
#include "core/ops/loops/convert.h"

namespace loupe::runtime {
namespace {

constexpr std::int64_t kCacheBytes = 32 * 1024;  // for the blocks of one thread
constexpr std::int64_t kLargestBlock = 4096;     // elements
constexpr std::int64_t kSmallestBlock = 256;
constexpr std::size_t kAlignment = 64;

// Where a block's elements stand: in one of the caller's arrays, or in a buffer.
struct Place {
    bool is_array = false;
    std::uint32_t index = 0;
    std::int64_t element = 4;  // bytes
};

// A kernel, or a conversion from places[1] to places[0].
struct Action {
    ElementwiseKernel kernel = nullptr;
    ConvertFunction convert = nullptr;
    const Scalar* params = nullptr;
    std::vector<Place> places;  // what is written, then what is read
    std::string name;
};

// An element that fills a buffer, once for a call.
struct Filling {
    Place to;
    bool is_array = false;
    std::uint32_t array = 0;
    std::array<std::byte, 16> number{};
    ConvertFunction convert = nullptr;
    std::string text;  // of the number
};

class PortableKernel final : public FusedKernel {
  public:
    PortableKernel(const FusedExpression& expression, const std::vector<bool>& is_number) : expression_(expression), is_number_(is_number) {
        count_uses();
        for (std::size_t i = 0; i < expression_.steps.size(); ++i) add_step(i);
        for (std::size_t o = 0; o < expression_.outputs.size(); ++o) add_copy_of_output(o);
        lay_out();
    }

    void run(std::byte* const* arrays, std::int64_t n) const override {
        thread_local std::vector<std::byte> memory;
        thread_local std::vector<void*> pointers;
        if (memory.size() < bytes_ + kAlignment) memory.resize(bytes_ + kAlignment);
        std::byte* const buffers = memory.data() + (kAlignment - reinterpret_cast<std::uintptr_t>(memory.data()) % kAlignment);
        for (const Filling& fill : fillings_) {
            const void* from = fill.is_array ? static_cast<const void*>(arrays[fill.array]) : fill.number.data();
            fill.convert(from, 0, buffers + offsets_[fill.to.index], fill.to.element, std::min(n, block_));
        }
        for (std::int64_t at = 0; at < n; at += block_) {
            const std::int64_t length = std::min(block_, n - at);
            for (const Action& action : actions_) {
                pointers.clear();
                for (const Place& place : action.places) {
                    pointers.push_back(place.is_array ? arrays[place.index] + at * place.element : buffers + offsets_[place.index]);
                }
                if (action.kernel != nullptr) action.kernel(action.params, pointers.data(), length);
                else action.convert(pointers[1], action.places[1].element, pointers[0], action.places[0].element, length);
            }
        }
    }

    FusedKernelText text() const override { return {"portable", expression_.str(), program(), {}, {}, 0, false}; }

  private:
    using Seen = std::pair<std::uint32_t, ScalarType>;  // a value as a dtype

    void count_uses() {
        last_use_.assign(expression_.inputs.size() + expression_.steps.size(), 0);
        for (std::size_t i = 0; i < expression_.steps.size(); ++i) {
            for (const FusedOperand& operand : expression_.steps[i].inputs) {
                if (!operand.is_number) last_use_[operand.value] = i;
            }
        }
        for (const std::uint32_t output : expression_.outputs) last_use_[output] = expression_.steps.size();
    }

    std::string name_of(const Place& place) const {
        const auto outputs = static_cast<std::uint32_t>(expression_.outputs.size());
        if (!place.is_array) return concat("buffer", place.index);
        return place.index < outputs ? concat("out", place.index) : concat("in", place.index - outputs);
    }

    //     buffer0 = 1.5
    //     for each 4096 elements, 2 buffers of 32 KiB:
    //         buffer1 = Mul(in0, buffer0)
    std::string program() const {
        std::string out;
        for (const Filling& fill : fillings_) {
            out += concat(name_of(fill.to), " = ", fill.is_array ? concat("in", fill.array - expression_.outputs.size()) : fill.text, "\n");
        }
        out += concat("for each ", block_, " elements, ", elements_.size(), " buffers of ", (bytes_ + 1023) / 1024, " KiB:\n");
        for (const Action& action : actions_) {
            out += concat("    ", name_of(action.places[0]), " = ", action.name, "(");
            for (std::size_t i = 1; i < action.places.size(); ++i) out += concat(i > 1 ? ", " : "", name_of(action.places[i]));
            out += ")\n";
        }
        return out;
    }

    // Buffers are used again when what is in them has been read for the last time.
    Place new_buffer(ScalarType dtype, bool is_kept) {
        const std::int64_t element = element_size(dtype);
        auto& free = free_[element];
        if (!is_kept && !free.empty()) {
            const std::uint32_t index = free.back();
            free.pop_back();
            return {false, index, element};
        }
        elements_.push_back(element);
        return {false, static_cast<std::uint32_t>(elements_.size() - 1), element};
    }

    Place constant_place(const FusedOperand& operand) {
        const ScalarType as = operand.as;
        const ScalarType from = operand.is_number ? as : expression_.dtype_of(operand.value);
        const Place place = new_buffer(as, true);
        Filling fill{place, !operand.is_number, 0, operand.number, convert_function(from, as), number_text(operand.number.data(), as)};
        if (!operand.is_number) fill.array = static_cast<std::uint32_t>(expression_.outputs.size()) + operand.value;
        fillings_.push_back(fill);
        return place;
    }

    Place operand_place(const FusedOperand& operand) {
        if (operand.is_number) return constant_place(operand);
        const Seen seen{operand.value, operand.as};
        if (const auto found = places_.find(seen); found != places_.end()) return found->second;
        const bool is_input = operand.value < expression_.inputs.size();
        if (is_input && is_number_[operand.value]) return places_[seen] = constant_place(operand);
        const ScalarType dtype = expression_.dtype_of(operand.value);
        const Seen stored{operand.value, dtype};
        if (is_input) {
            places_[stored] = {true, static_cast<std::uint32_t>(expression_.outputs.size()) + operand.value, element_size(dtype)};
        }
        if (dtype == operand.as) return places_.at(stored);
        const Place converted = new_buffer(operand.as, false);
        actions_.push_back({nullptr, convert_function(dtype, operand.as), nullptr, {converted, places_.at(stored)}, "Convert"});
        return places_[seen] = converted;
    }

    void add_step(std::size_t i) {
        const FusedStep& step = expression_.steps[i];
        const auto value = static_cast<std::uint32_t>(expression_.inputs.size() + i);
        std::vector<Place> sources;
        for (const FusedOperand& operand : step.inputs) sources.push_back(operand_place(operand));
        const auto output = std::find(expression_.outputs.begin(), expression_.outputs.end(), value);
        Place stored = new_buffer(step.dtype, false);
        if (output != expression_.outputs.end()) {
            release(stored);
            stored = {true, static_cast<std::uint32_t>(output - expression_.outputs.begin()), element_size(step.dtype)};
        }
        places_[{value, step.dtype}] = stored;
        const bool rounds = step.kernel != nullptr && step.result_as != step.dtype;
        const Place written = rounds ? new_buffer(step.result_as, false) : stored;
        std::vector<Place> places{written};
        places.insert(places.end(), sources.begin(), sources.end());
        const ConvertFunction convert = step.kernel == nullptr ? convert_function(step.inputs[0].as, step.dtype) : nullptr;
        actions_.push_back({step.kernel, convert, step.params.empty() ? nullptr : step.params.data(), places, step.kind.name()});
        if (rounds) {
            actions_.push_back({nullptr, convert_function(step.result_as, step.dtype), nullptr, {stored, written}, "Convert"});
            release(written);
        }
        release_unread(i);
    }

    void release(const Place& place) { free_[place.element].push_back(place.index); }

    void release_unread(std::size_t step) {
        for (auto place = places_.begin(); place != places_.end();) {
            const std::uint32_t value = place->first.first;
            const bool is_number = value < expression_.inputs.size() && is_number_[value];
            if (is_number || last_use_[value] > step) {
                ++place;
                continue;
            }
            if (!place->second.is_array) release(place->second);
            place = places_.erase(place);
        }
    }

    // A value that is given back twice, or an input that is.
    void add_copy_of_output(std::size_t o) {
        const std::uint32_t value = expression_.outputs[o];
        const ScalarType dtype = expression_.dtype_of(value);
        const Place to{true, static_cast<std::uint32_t>(o), element_size(dtype)};
        FusedOperand operand;
        operand.value = value;
        operand.as = dtype;
        const Place from = operand_place(operand);
        if (from.is_array && from.index == to.index) return;
        actions_.push_back({nullptr, convert_function(dtype, dtype), nullptr, {to, from}, "Copy"});
    }

    void lay_out() {
        std::int64_t bytes_of_one = 1;
        for (const std::int64_t element : elements_) bytes_of_one += element;
        block_ = std::clamp(kCacheBytes / bytes_of_one / 64 * 64, kSmallestBlock, kLargestBlock);
        for (const std::int64_t element : elements_) {
            offsets_.push_back(bytes_);
            bytes_ += static_cast<std::size_t>(element * block_);
        }
    }

    FusedExpression expression_;
    std::vector<bool> is_number_;
    std::vector<std::size_t> last_use_;
    std::map<Seen, Place> places_;
    std::map<std::int64_t, std::vector<std::uint32_t>> free_;
    std::vector<std::int64_t> elements_;  // of each buffer
    std::vector<std::size_t> offsets_;
    std::size_t bytes_ = 0;
    std::int64_t block_ = kSmallestBlock;
    std::vector<Action> actions_;
    std::vector<Filling> fillings_;
};

}  // namespace

Ptr<const FusedKernel> compile_portable(const FusedExpression& expression, const std::vector<bool>& is_number, std::string*) {
    return make_ptr<PortableKernel>(expression, is_number);
}

}  // namespace loupe::runtime
