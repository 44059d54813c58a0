// SPDX-License-Identifier: Apache-2.0
#include "core/model/data_batches.h"

#include <random>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/data/loader.h"
#include "core/dispatch/functions.h"
#include "core/formats/sources/source.h"

namespace loupe::session {
namespace {

struct Arrays {
    Tensor input;
    Tensor target;
};

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
        const std::int64_t label =
            has_classes ? static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(spec.classes)) : 0;
        float sum = 0;
        for (std::int64_t k = 0; k < width; ++k) {
            const float centre = centres[static_cast<std::size_t>(label * width + k)];
            if (is_text) {
                input.data<std::int64_t>()[i * width + k] =
                    static_cast<std::int64_t>((engine() % 4 + static_cast<std::uint64_t>(label)) % 64);
                continue;
            }
            const float value = has_classes ? centre + normal(engine) : normal(engine);
            input.data<float>()[i * width + k] = value;
            sum += value * centre;
        }
        if (has_classes)
            target.data<std::int64_t>()[i] = label;
        else
            target.data<float>()[i] = sum;
    }
    return {is_text || *dtype == ScalarType::Float32 ? input : fn::to_dtype(input, static_cast<std::int64_t>(*dtype)),
            target};
}

// Numbers that data files hold in double precision, as NumPy does, are what models have.
IValue usable(const IValue& value) {
    if (!value.is_tensor() || value.to_tensor().dtype() != ScalarType::Float64) return value;
    return fn::to_dtype(value.to_tensor(), static_cast<std::int64_t>(ScalarType::Float32));
}

DataBatch batch_of(const IValue& value) {
    std::vector<IValue> parts{value};
    if (value.is_list()) parts = value.to_list().elements;
    if (value.is_tuple()) parts = value.to_tuple().elements;
    DataBatch batch;
    for (IValue& part : parts) batch.inputs.push_back(usable(part));
    // What has no target is its own.
    batch.target = batch.inputs.back();
    if (batch.inputs.size() > 1) batch.inputs.pop_back();
    for (const IValue& input : batch.inputs) {
        if (input.is_tensor() && input.to_tensor().dim() > 0) batch.count = input.to_tensor().size(0);
    }
    return batch;
}

class LoadedData final : public DataBatches {
  public:
    LoadedData(data::DatasetPtr samples, const data::LoaderOptions& options)
        : samples_(std::move(samples)), loader_(samples_, options) {}

    std::int64_t size() const override { return samples_->size(); }
    std::int64_t batches() const override { return loader_.size(); }
    void begin_epoch() override {
        stream_ = nullptr;  // its threads end before others begin
        stream_ = loader_.iterate();
    }
    std::optional<DataBatch> next() override {
        const MemoryCategoryScope category(MemoryCategory::Input);
        const std::optional<IValue> batch = stream_->next();
        if (!batch) return std::nullopt;
        return batch_of(*batch);
    }

  private:
    data::DatasetPtr samples_;
    data::DataLoader loader_;
    Ptr<data::BatchStream> stream_;
};

data::Source source_of(const DataSpec& spec, std::uint64_t seed) {
    if (spec.path.empty()) {
        const Arrays arrays = made_up(spec, seed);
        const std::string what = concat(spec.count, " made-up samples");
        return {make_ptr<data::TensorDataset>(TensorList{arrays.input, arrays.target}), {}, what, {}};
    }
    return data::open_source({spec.source, spec.path, spec.options});
}

}  // namespace

BatchedData open_batches(const DataSpec& spec, const BatchOptions& options) {
    data::Source source = source_of(spec, options.seed);
    if (source.dataset->size() == 0) throw Error(ErrorKind::Usage, "there is no sample", {.file = spec.path});
    data::LoaderOptions loading;
    loading.batch_size = std::max<std::int64_t>(1, options.batch_size);
    loading.num_workers = std::max(0, options.workers);
    loading.on_damage = options.skip_damaged ? data::OnDamage::Skip : data::OnDamage::Stop;
    BatchedData sets;
    sets.summary = source.description;
    data::DatasetPtr samples = std::move(source.dataset);
    if (options.held_out > 0) {
        const double part = std::min(options.held_out, 0.9);
        const auto parts = data::random_split(samples, {1 - part, part});
        samples = parts[0];
        if (parts[1]->size() > 0) sets.held_out = std::make_unique<LoadedData>(parts[1], loading);
    }
    loading.shuffle = options.shuffle;
    loading.drop_last = options.drop_last;
    sets.training = std::make_unique<LoadedData>(samples, loading);
    return sets;
}

}  // namespace loupe::session
