// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/portable_fuser.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "core/base/strings.h"
#include "core/kernels/convert.h"
#include "core/runtime/fuse/stream_copy.h"

namespace loupe::runtime {
namespace {

constexpr std::int64_t kCacheBytes = 32 * 1024;  // for the blocks of one thread
constexpr std::int64_t kLargestBlock = 4096;     // elements
constexpr std::int64_t kSmallestBlock = 256;
constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kStreamedBytes = 8 << 20;  // of results that leave the caches before they are read again

// The rows and elements per row of a block; an expression without rows has rows of one element.
struct Block {
    std::int64_t rows = 1;
    std::int64_t row = 1;
    std::int64_t count(RowShape shape) const {
        return shape == RowShape::Elements ? rows * row : (shape == RowShape::PerRow ? rows : row);
    }
};

// The location of a block's elements: in one of the caller's arrays, or in a buffer.
struct Place {
    bool is_array = false;
    std::uint32_t index = 0;
    std::int64_t element = 4;  // bytes
    RowShape shape = RowShape::Elements;

    std::int64_t row_bytes(std::int64_t row) const {
        return shape == RowShape::Columns ? 0 : element * (shape == RowShape::Elements ? row : 1);
    }
};

// A kernel, a row loop, or a conversion from places[outputs] to places[0]: of as many elements, or broadcasting one per
// row.
struct Action {
    ElementwiseKernel kernel = nullptr;
    std::shared_ptr<const FusedRowLoop> rows;
    ConvertFunction convert = nullptr;
    bool streams = false;  // a copy past the caches
    const Scalar* params = nullptr;
    std::vector<Place> places;  // outputs, then inputs
    std::string name;
};

// The contents of a buffer that is filled once per call: a number, or a row's values.
struct Filling {
    Place to;
    bool is_array = false;
    std::uint32_t array = 0;
    bool is_row = false;
    std::int64_t element = 4;  // element size
    std::array<std::byte, 16> number{};
    ConvertFunction convert = nullptr;
    std::string text;  // of the number
};

// Assigns places to the operands and results of an expression's steps.
class Planner {
  public:
    // streams: results are made in buffers and leave them past the caches.
    Planner(const FusedExpression& expression, const std::vector<bool>& is_number, bool streams)
        : e_(expression), is_number_(is_number), streams_(streams) {
        count_uses();
        for (std::size_t i = 0; i < e_.steps.size(); ++i) add_step(i);
        for (std::size_t o = 0; o < e_.outputs.size(); ++o) add_copy_of_output(o);
    }

    struct Buffer {
        std::int64_t element = 4;
        RowShape shape = RowShape::Elements;
        friend auto operator<=>(const Buffer&, const Buffer&) = default;
    };
    std::vector<Buffer> buffers;
    std::vector<Action> actions;
    std::vector<Filling> fillings;

  private:
    struct Seen {  // a value as a dtype and a shape
        std::uint32_t value = 0;
        ScalarType as = ScalarType::Float32;
        RowShape shape = RowShape::Elements;
        friend auto operator<=>(const Seen&, const Seen&) = default;
    };

    RowShape shape_of(std::uint32_t value) const { return e_.is_of_rows() ? e_.shapes[value] : RowShape::Elements; }
    bool is_input(std::uint32_t value) const { return value < e_.inputs.size(); }
    // Sums over rows are added to where they are.
    bool leaves_buffer(std::uint32_t value) const { return streams_ && shape_of(value) != RowShape::Columns; }
    std::uint32_t input_array(std::uint32_t value) const {
        return static_cast<std::uint32_t>(e_.outputs.size()) + value;
    }

    void count_uses() {
        last_use_.assign(e_.inputs.size() + e_.steps.size(), 0);
        for (std::size_t i = 0; i < e_.steps.size(); ++i) {
            last_use_[e_.inputs.size() + i] = i;
            for (const FusedOperand& operand : e_.steps[i].inputs) {
                if (!operand.is_number) last_use_[operand.value] = i;
            }
        }
        for (const std::uint32_t output : e_.outputs) last_use_[output] = e_.steps.size();
    }

    // Buffers are reused after the last read of their contents.
    Place new_buffer(ScalarType dtype, RowShape shape, bool is_kept) {
        const Buffer buffer{element_size(dtype), shape};
        auto& free = free_[buffer];
        if (!is_kept && !free.empty()) {
            const std::uint32_t index = free.back();
            free.pop_back();
            return {false, index, buffer.element, shape};
        }
        buffers.push_back(buffer);
        return {false, static_cast<std::uint32_t>(buffers.size() - 1), buffer.element, shape};
    }
    void release(const Place& place) { free_[{place.element, place.shape}].push_back(place.index); }

    Place filled_place(const FusedOperand& operand, RowShape shape) {
        const ScalarType from = operand.is_number ? operand.as : e_.dtype_of(operand.value);
        Filling fill;
        fill.to = new_buffer(operand.as, shape, true);
        fill.is_array = !operand.is_number;
        fill.is_row = fill.is_array && shape_of(operand.value) == RowShape::Columns;
        fill.array = operand.is_number ? 0 : input_array(operand.value);
        fill.element = element_size(from);
        fill.number = operand.number;
        fill.convert = convert_function(from, operand.as);
        if (operand.is_number) fill.text = number_text(operand.number.data(), operand.as);
        fillings.push_back(fill);
        return fill.to;
    }

    // The operand converted to the step's dtype and shape.
    Place operand_place(const FusedOperand& operand, RowShape shape) {
        if (operand.is_number) {
            const auto known = numbers_.try_emplace({operand.number, operand.as, shape});
            if (known.second) known.first->second = filled_place(operand, shape);
            return known.first->second;
        }
        const Seen seen{operand.value, operand.as, shape};
        if (const auto found = places_.find(seen); found != places_.end()) return found->second;
        const RowShape own = shape_of(operand.value);
        const ScalarType dtype = e_.dtype_of(operand.value);
        if (is_input(operand.value) && is_number_[operand.value]) return places_[seen] = filled_place(operand, shape);
        if (is_input(operand.value) && own == RowShape::Columns && (shape != own || dtype != operand.as)) {
            return places_[seen] = filled_place(operand, shape);
        }
        const Seen stored{operand.value, dtype, own};
        if (is_input(operand.value)) places_[stored] = {true, input_array(operand.value), element_size(dtype), own};
        if (stored == seen) return places_.at(stored);
        const Place converted = new_buffer(operand.as, shape, false);
        actions.push_back({nullptr,
                           nullptr,
                           convert_function(dtype, operand.as),
                           false,
                           nullptr,
                           {converted, places_.at(stored)},
                           own == shape ? "Convert" : "Spread"});
        return places_[seen] = converted;
    }

    void add_step(std::size_t i) {
        const FusedStep& step = e_.steps[i];
        if (step.kind.family == LoopFamily::Also) return;
        const auto value = static_cast<std::uint32_t>(e_.inputs.size() + i);
        Action action;
        for (const FusedOperand& operand : step.inputs) {
            action.places.push_back(operand_place(operand, step.rows ? shape_of(operand.value) : shape_of(value)));
        }
        release_unread(i);  // a kernel may write where it reads
        const std::size_t results = step.rows ? step.rows->outputs : 1;
        std::vector<Place> written;
        std::vector<std::pair<Place, Place>> rounded;  // to, from
        for (std::size_t r = 0; r < results; ++r) {
            const FusedStep& result = e_.steps[i + r];
            const Place stored = result_place(static_cast<std::uint32_t>(value + r));
            const bool rounds = result.kind.family != LoopFamily::Convert && result.result_as != result.dtype;
            written.push_back(rounds ? new_buffer(result.result_as, stored.shape, false) : stored);
            if (rounds) rounded.emplace_back(stored, written.back());
        }
        action.places.insert(action.places.begin(), written.begin(), written.end());
        action.kernel = step.kernel;
        action.rows = step.rows;
        action.name = step.rows ? concat(step.rows->name, " rows") : step.kind.name();
        action.params = step.params.empty() ? nullptr : step.params.data();
        if (step.kernel == nullptr && !step.rows) action.convert = convert_function(step.inputs[0].as, step.dtype);
        actions.push_back(std::move(action));
        for (std::size_t r = 0, k = 0; r < results; ++r) {
            const FusedStep& result = e_.steps[i + r];
            if (result.kind.family == LoopFamily::Convert || result.result_as == result.dtype) continue;
            const auto& [to, from] = rounded[k++];
            actions.push_back({nullptr,
                               nullptr,
                               convert_function(result.result_as, result.dtype),
                               false,
                               nullptr,
                               {to, from},
                               "Convert"});
            release(from);
        }
        for (std::uint32_t r = 0; streams_ && r < results; ++r) add_streams(value + r);
        release_unread(i + results - 1);
    }

    Place result_place(std::uint32_t value) {
        const ScalarType dtype = e_.dtype_of(value);
        const auto output = std::find(e_.outputs.begin(), e_.outputs.end(), value);
        const bool is_output = output != e_.outputs.end() && !leaves_buffer(value);
        const Place place = is_output ? Place{true, static_cast<std::uint32_t>(output - e_.outputs.begin()),
                                              element_size(dtype), shape_of(value)}
                                      : new_buffer(dtype, shape_of(value), false);
        return places_[{value, dtype, shape_of(value)}] = place;
    }

    void release_unread(std::size_t step) {
        for (auto place = places_.begin(); place != places_.end();) {
            const std::uint32_t value = place->first.value;
            const bool is_kept = is_input(value) && (is_number_[value] || shape_of(value) == RowShape::Columns);
            const bool is_made = is_input(value) || value - e_.inputs.size() <= step;
            if (is_kept || !is_made || last_use_[value] > step) {
                ++place;
                continue;
            }
            if (!place->second.is_array) release(place->second);
            place = places_.erase(place);
        }
    }

    void add_streams(std::uint32_t value) {
        for (std::size_t o = 0; o < e_.outputs.size(); ++o) {
            if (e_.outputs[o] != value || !leaves_buffer(value)) continue;
            const ScalarType dtype = e_.dtype_of(value);
            const Place to{true, static_cast<std::uint32_t>(o), element_size(dtype), shape_of(value)};
            actions.push_back({nullptr,
                               nullptr,
                               nullptr,
                               true,
                               nullptr,
                               {to, places_.at({value, dtype, shape_of(value)})},
                               "Stream"});
        }
    }

    // A value that is returned twice, or a returned input.
    void add_copy_of_output(std::size_t o) {
        if (!is_input(e_.outputs[o]) && leaves_buffer(e_.outputs[o])) return;
        const std::uint32_t value = e_.outputs[o];
        const ScalarType dtype = e_.dtype_of(value);
        const Place to{true, static_cast<std::uint32_t>(o), element_size(dtype), shape_of(value)};
        FusedOperand operand;
        operand.value = value;
        operand.as = dtype;
        const Place from = operand_place(operand, shape_of(value));
        if (from.is_array && from.index == to.index) return;
        actions.push_back({nullptr, nullptr, convert_function(dtype, dtype), false, nullptr, {to, from}, "Copy"});
    }

    const FusedExpression& e_;
    const std::vector<bool>& is_number_;
    bool streams_;
    std::vector<std::size_t> last_use_;
    std::map<std::tuple<std::array<std::byte, 16>, ScalarType, RowShape>, Place> numbers_;
    std::map<Seen, Place> places_;
    std::map<Buffer, std::vector<std::uint32_t>> free_;
};

// The actions of a block, and its number of elements.
class Program {
  public:
    Program(const FusedExpression& expression, const std::vector<bool>& is_number, bool streams)
        : output_count_(expression.outputs.size()), is_of_rows_(expression.is_of_rows()), streams_(streams) {
        Planner planner(expression, is_number, streams);
        buffers_ = std::move(planner.buffers);
        actions_ = std::move(planner.actions);
        fillings_ = std::move(planner.fillings);
        for (const Planner::Buffer& buffer : buffers_)
            bytes_of_one_ += buffer.shape == RowShape::Elements ? buffer.element : 0;
    }

    void run(std::byte* const* arrays, std::int64_t rows, std::int64_t row) const {
        thread_local std::vector<std::byte> memory;
        thread_local std::vector<std::byte*> buffers;
        const Block block{std::min(rows, std::max<std::int64_t>(1, block_elements() / row)), row};
        lay_out(block, memory, buffers);
        for (const Filling& fill : fillings_) run_filling(fill, block, arrays, buffers[fill.to.index]);
        thread_local Frame frame;
        lay_out_frame(frame, block, arrays, buffers);
        for (std::int64_t at = 0; at < rows; at += block.rows) {
            const Block now{std::min(block.rows, rows - at), row};
            const bool is_last = at + block.rows >= rows;
            void** pointers = frame.pointers.data();
            for (std::size_t i = 0; i < actions_.size(); ++i) {
                if (streams_ && !is_last) fetch_part_of_next(frame, i);
                run_action(actions_[i], now, pointers);
                pointers += actions_[i].places.size();
            }
            for (const auto& [place, bytes] : frame.moves)
                frame.pointers[place] = static_cast<std::byte*>(frame.pointers[place]) + bytes;
        }
    }

    //     buffer0 = 1.5
    //     for each 4096 elements, 2 buffers of 32 KiB:
    //         buffer1 = Mul(in0, buffer0)
    std::string text() const {
        std::string out;
        for (const Filling& fill : fillings_) {
            out += concat(name_of(fill.to), " = ", fill.is_array ? concat("in", fill.array - output_count_) : fill.text,
                          "\n");
        }
        out += concat("for each ", block_elements(), " elements", is_of_rows_ ? ", a row at least" : "", ", ",
                      buffers_.size(), " buffers:\n");
        for (const Action& action : actions_) {
            const std::size_t results = action.rows ? action.rows->outputs : 1;
            out += "    ";
            for (std::size_t i = 0; i < results; ++i) out += concat(i > 0 ? ", " : "", name_of(action.places[i]));
            out += concat(" = ", action.name, "(");
            for (std::size_t i = results; i < action.places.size(); ++i)
                out += concat(i > results ? ", " : "", name_of(action.places[i]));
            out += ")\n";
        }
        return out;
    }

  private:
    // Precomputed addresses of the actions in a block, and their increments to the next: a block takes only a few
    // hundred instructions, and computing addresses should not add as many.
    struct Frame {
        std::vector<void*> pointers;
        std::vector<std::pair<std::size_t, std::int64_t>> moves;  // places, by bytes
        std::vector<std::pair<std::size_t, std::int64_t>> reads;  // the caller's inputs, one per place
    };
    // Prefetches the next block's inputs, a part before each action.
    void fetch_part_of_next(const Frame& frame, std::size_t action) const {
        constexpr std::int64_t kLine = 64;
        const auto count = static_cast<std::int64_t>(actions_.size()), part = static_cast<std::int64_t>(action);
        for (const auto& [place, bytes] : frame.reads) {
            const std::byte* const next = static_cast<const std::byte*>(frame.pointers[place]) + bytes;
            const std::int64_t lines = bytes / kLine;
            for (std::int64_t line = lines * part / count; line < lines * (part + 1) / count; ++line)
                __builtin_prefetch(next + line * kLine, 0, 2);
        }
    }
    void lay_out_frame(Frame& frame, const Block& block, std::byte* const* arrays,
                       const std::vector<std::byte*>& buffers) const {
        frame.pointers.clear();
        frame.moves.clear();
        frame.reads.clear();
        std::vector<bool> is_seen(output_count_, true);
        for (const Action& action : actions_) {
            for (const Place& place : action.places) {
                if (place.is_array)
                    frame.moves.emplace_back(frame.pointers.size(), place.row_bytes(block.row) * block.rows);
                if (place.is_array && place.index >= is_seen.size()) is_seen.resize(place.index + 1, false);
                if (place.is_array && !is_seen[place.index]) frame.reads.push_back(frame.moves.back());
                if (place.is_array) is_seen[place.index] = true;
                frame.pointers.push_back(place.is_array ? arrays[place.index] : buffers[place.index]);
            }
        }
    }

    // Elements of a block; at least one row.
    std::int64_t block_elements() const {
        return std::clamp(kCacheBytes / bytes_of_one_ / 64 * 64, kSmallestBlock, kLargestBlock);
    }

    void lay_out(const Block& block, std::vector<std::byte>& memory, std::vector<std::byte*>& buffers) const {
        std::size_t bytes = kAlignment;
        const auto padded = [&](const Planner::Buffer& buffer) {
            return (static_cast<std::size_t>(block.count(buffer.shape) * buffer.element) + kAlignment - 1) /
                   kAlignment * kAlignment;
        };
        for (const Planner::Buffer& buffer : buffers_) bytes += padded(buffer);
        if (memory.size() < bytes) memory.resize(bytes);
        std::byte* next =
            memory.data() + (kAlignment - reinterpret_cast<std::uintptr_t>(memory.data()) % kAlignment) % kAlignment;
        buffers.clear();
        for (const Planner::Buffer& buffer : buffers_) {
            buffers.push_back(next);
            next += padded(buffer);
        }
    }

    static void run_filling(const Filling& fill, const Block& block, std::byte* const* arrays, std::byte* to) {
        const void* from = fill.is_array ? static_cast<const void*>(arrays[fill.array]) : fill.number.data();
        if (!fill.is_row) return fill.convert(from, 0, to, fill.to.element, block.count(fill.to.shape));
        const std::int64_t rows = fill.to.shape == RowShape::Elements ? block.rows : 1;
        for (std::int64_t r = 0; r < rows; ++r)
            fill.convert(from, fill.element, to + r * block.row * fill.to.element, fill.to.element, block.row);
    }

    static void run_action(const Action& action, const Block& block, void* const* pointers) {
        const Place& to = action.places[0];
        if (action.kernel != nullptr) {
            action.kernel(action.params, pointers, block.count(to.shape));
        } else if (action.streams) {
            stream_copy(static_cast<std::byte*>(pointers[0]), static_cast<const std::byte*>(pointers[1]),
                        block.count(to.shape) * to.element);
        } else if (action.rows) {
            constexpr std::size_t kMost = 16;
            boost::container::small_vector<std::int64_t, kMost> strides;
            for (const Place& place : action.places) strides.push_back(place.row_bytes(block.row));
            action.rows->kernel(action.rows->params(), pointers, strides.data(), block.rows, block.row);
        } else if (const Place& from = action.places[1]; from.shape == to.shape) {
            action.convert(pointers[1], from.element, pointers[0], to.element, block.count(to.shape));
        } else {
            for (std::int64_t r = 0; r < block.rows; ++r) {
                action.convert(static_cast<std::byte*>(pointers[1]) + r * from.element, 0,
                               static_cast<std::byte*>(pointers[0]) + r * block.row * to.element, to.element,
                               block.row);
            }
        }
    }

    std::string name_of(const Place& place) const {
        const auto outputs = static_cast<std::uint32_t>(output_count_);
        if (!place.is_array) return concat("buffer", place.index);
        return place.index < outputs ? concat("out", place.index) : concat("in", place.index - outputs);
    }

    std::size_t output_count_;
    bool is_of_rows_;
    bool streams_;
    std::vector<Planner::Buffer> buffers_;
    std::vector<Action> actions_;
    std::vector<Filling> fillings_;
    std::int64_t bytes_of_one_ = 1;
};

class PortableKernel final : public FusedKernel {
  public:
    PortableKernel(const FusedExpression& expression, const std::vector<bool>& is_number)
        : expression_(expression), cached_(expression_, is_number, false), streaming_(expression_, is_number, true) {
        for (const std::uint32_t output : expression_.outputs)
            result_bytes_ += element_size(expression_.dtype_of(output));
    }

    void run(std::byte* const* arrays, std::int64_t n) const override {
        (streams(n) ? streaming_ : cached_).run(arrays, n, 1);
    }
    void run_rows(std::byte* const* arrays, const std::int64_t*, std::int64_t rows, std::int64_t n) const override {
        (streams(rows * n) ? streaming_ : cached_).run(arrays, rows, n);
    }
    bool needs_packed_rows() const override { return true; }
    FusedKernelText text() const override { return {"portable", expression_.str(), cached_.text(), {}, {}, 0, false}; }

  private:
    bool streams(std::int64_t n) const { return n * result_bytes_ >= kStreamedBytes; }

    FusedExpression expression_;
    Program cached_;
    Program streaming_;
    std::int64_t result_bytes_ = 0;
};

}  // namespace

Ptr<const FusedKernel> compile_portable(const FusedExpression& expression, const std::vector<bool>& is_number,
                                        std::string*) {
    return make_ptr<PortableKernel>(expression, is_number);
}

}  // namespace loupe::runtime
