// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/io/npy.h"
#include "core/ops/functions.h"
#include "core/ops/random/generator.h"

namespace loupe::session {
namespace {

// Arrays whose first dimension counts examples.
struct Arrays {
    Tensor input;
    Tensor target;  // undefined: none
};

// Rows of a contiguous tensor, in that order.
Tensor rows_of(const Tensor& all, const std::int64_t* indices, std::int64_t count) {
    Dims sizes = to_dims(all.sizes());
    sizes[0] = count;
    const Tensor out = empty(span_of(sizes), all.dtype());
    const std::size_t row = all.size(0) == 0 ? 0 : all.bytes() / static_cast<std::size_t>(all.size(0));
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(out.data<std::byte>() + static_cast<std::size_t>(i) * row, all.data<std::byte>() + static_cast<std::size_t>(indices[i]) * row, row);
    }
    return out;
}

class ArrayData final : public TrainingData {
  public:
    ArrayData(Arrays arrays, std::vector<std::int64_t> examples, const TrainOptions& options, bool shuffles)
        : arrays_(std::move(arrays)), examples_(std::move(examples)), size_(std::max<std::int64_t>(1, options.batch_size)), drops_last_(options.drop_last && shuffles), shuffles_(shuffles), generator_(options.seed) {}

    std::int64_t size() const override { return static_cast<std::int64_t>(examples_.size()); }
    std::int64_t batches() const override { return drops_last_ ? size() / size_ : (size() + size_ - 1) / size_; }
    void begin_epoch() override {
        next_ = 0;
        if (!shuffles_) return;
        for (std::size_t i = examples_.size(); i > 1; --i) std::swap(examples_[i - 1], examples_[generator_.next64() % i]);
    }
    std::optional<TrainingBatch> next() override {
        const std::int64_t left = size() - next_;
        const std::int64_t count = std::min(left, size_);
        if (count <= 0 || (drops_last_ && count < size_)) return std::nullopt;
        TrainingBatch batch;
        batch.count = count;
        const std::int64_t* indices = examples_.data() + next_;
        const MemoryCategoryScope category(MemoryCategory::Input);
        batch.inputs.emplace_back(rows_of(arrays_.input, indices, count));
        if (arrays_.target.defined()) batch.target = rows_of(arrays_.target, indices, count);
        next_ += count;
        return batch;
    }

  private:
    Arrays arrays_;
    std::vector<std::int64_t> examples_;
    std::int64_t size_;
    bool drops_last_;
    bool shuffles_;
    Generator generator_;
    std::int64_t next_ = 0;
};

std::string names_in(const NamedTensors& arrays) {
    std::vector<std::string> names;
    for (const auto& [name, t] : arrays) names.push_back(name);
    return join(names, ", ");
}

const Tensor* find(const NamedTensors& arrays, const std::string& name) {
    for (const auto& [own, t] : arrays) {
        if (own == name) return &t;
    }
    return nullptr;
}

// The array of that name, or the first of the usual names that there is.
const Tensor* choose(const NamedTensors& arrays, const std::string& name, std::initializer_list<const char*> usual, const std::string& file) {
    if (!name.empty()) {
        if (const Tensor* found = find(arrays, name)) return found;
        throw Error(ErrorKind::Usage, concat("there is no array '", name, "'"), {.file = file, .hint = concat("it has ", names_in(arrays))});
    }
    for (const char* candidate : usual) {
        if (const Tensor* found = find(arrays, candidate)) return found;
    }
    return nullptr;
}

Arrays arrays_of(const DataSpec& spec) {
    const std::filesystem::path path = spec.path;
    if (path.extension() == ".npy") {
        const Tensor all = read_npy(path);
        return {all, all};
    }
    const NamedTensors arrays = read_npz(path);
    const Tensor* input = choose(arrays, spec.input, {"x", "arg0", "input", "inputs", "images", "data", "x_train"}, spec.path);
    if (input == nullptr && !arrays.empty()) input = &arrays.front().second;
    if (input == nullptr) throw Error(ErrorKind::File, "holds no arrays", {.file = spec.path});
    const Tensor* target = choose(arrays, spec.target, {"y", "target", "targets", "label", "labels", "y_train"}, spec.path);
    return {*input, target == nullptr ? Tensor() : *target};
}

// Tokens that count on, each row from another start in other strides; the target is the next one.
Arrays counting(const Tensor& input, std::mt19937_64& engine) {
    constexpr std::int64_t kTokens = 64;
    const Tensor target = empty_like(input);
    const std::int64_t length = input.dim() > 1 ? input.size(-1) : 1;
    for (std::int64_t i = 0; i < input.numel(); i += length) {
        const auto start = static_cast<std::int64_t>(engine() % kTokens);
        const auto stride = static_cast<std::int64_t>(1 + engine() % 3);
        for (std::int64_t k = 0; k < length; ++k) {
            input.data<std::int64_t>()[i + k] = (start + k * stride) % kTokens;
            target.data<std::int64_t>()[i + k] = (start + (k + 1) * stride) % kTokens;
        }
    }
    return {input, target};
}

// Examples around a centre a class, or a target that the inputs tell.
Arrays made_up(const DataSpec& spec, std::uint64_t seed) {
    const auto dtype = dtype_from_name(spec.dtype);
    if (!dtype) throw Error(ErrorKind::Usage, concat("unknown dtype '", spec.dtype, "'"));
    Dims sizes{spec.count};
    for (const std::int64_t size : spec.shape) sizes.push_back(size);
    std::mt19937_64 engine(seed);
    std::normal_distribution<float> normal;
    const bool is_text = is_integral(*dtype);
    const Tensor input = empty(span_of(sizes), is_text ? ScalarType::Int64 : ScalarType::Float32);
    const bool has_classes = spec.classes > 0;
    if (is_text && !has_classes) return counting(input, engine);
    const Tensor target = empty(IntSpan(sizes.data(), 1), has_classes ? ScalarType::Int64 : ScalarType::Float32);
    const std::int64_t width = spec.count > 0 ? input.numel() / spec.count : 0;
    std::vector<float> centres(static_cast<std::size_t>(width * std::max(1, spec.classes)));
    for (float& centre : centres) centre = normal(engine);
    for (std::int64_t i = 0; i < spec.count; ++i) {
        const std::int64_t label = has_classes ? static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(spec.classes)) : 0;
        float sum = 0;
        for (std::int64_t k = 0; k < width; ++k) {
            const float centre = centres[static_cast<std::size_t>(label * width + k)];
            if (is_text) {
                input.data<std::int64_t>()[i * width + k] = static_cast<std::int64_t>((engine() % 4 + static_cast<std::uint64_t>(label)) % 64);
                continue;
            }
            const float value = has_classes ? centre + normal(engine) : normal(engine);
            input.data<float>()[i * width + k] = value;
            sum += value * centre;
        }
        if (has_classes) target.data<std::int64_t>()[i] = label;
        else target.data<float>()[i] = sum;
    }
    return {is_text || *dtype == ScalarType::Float32 ? input : fn::to_dtype(input, static_cast<std::int64_t>(*dtype)), target};
}

Tensor usable(const Tensor& t) {
    const bool is_wide = t.dtype() == ScalarType::Float64;
    const Tensor same = is_wide ? fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)) : t;
    return fn::contiguous(same, 0);
}

std::string example_text(const Tensor& t) {
    return concat(t.dim() > 1 ? concat(loupe::shape_text(t.sizes().subspan(1)), " ") : std::string(), dtype_name(t.dtype()));
}

}  // namespace

TrainingSets open_training_data(const TrainOptions& options) {
    Arrays arrays = options.data.path.empty() ? made_up(options.data, options.seed) : arrays_of(options.data);
    arrays.input = usable(arrays.input);
    if (arrays.target.defined()) arrays.target = usable(arrays.target);
    if (arrays.input.dim() == 0) throw Error(ErrorKind::Usage, "the inputs have no dimension that counts examples", {.file = options.data.path});
    const std::int64_t count = arrays.input.size(0);
    if (arrays.target.defined() && (arrays.target.dim() == 0 || arrays.target.size(0) != count)) {
        throw Error(ErrorKind::Usage, concat("inputs are ", describe(arrays.input), ", targets ", describe(arrays.target), ": another number of examples"),
                    {.file = options.data.path});
    }
    if (count == 0) throw Error(ErrorKind::Usage, "there is no example", {.file = options.data.path});
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const auto kept_aside = static_cast<std::size_t>(std::clamp(options.held_out, 0.0, 0.9) * static_cast<double>(count));
    if (kept_aside > 0) {
        std::mt19937_64 engine(options.seed);
        std::shuffle(order.begin(), order.end(), engine);
    }
    const auto split = order.end() - static_cast<std::ptrdiff_t>(kept_aside);
    TrainingSets sets;
    sets.summary = concat(count, " examples of ", example_text(arrays.input));
    if (arrays.target.defined()) sets.summary += concat(", target ", example_text(arrays.target));
    if (kept_aside > 0) sets.held_out = std::make_unique<ArrayData>(arrays, std::vector<std::int64_t>(split, order.end()), options, false);
    sets.training = std::make_unique<ArrayData>(arrays, std::vector<std::int64_t>(order.begin(), split), options, options.shuffle);
    return sets;
}

}  // namespace loupe::session
