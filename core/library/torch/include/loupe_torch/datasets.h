// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::data: examples, datasets, and transforms of their batches.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <loupe_torch/archive.h>
#include <loupe_torch/functions.h>

namespace torch::data {

template <typename Data = at::Tensor, typename Target = at::Tensor>
struct Example {
    using DataType = Data;
    using TargetType = Target;
    Example() = default;
    Example(Data its_data, Target its_target) : data(std::move(its_data)), target(std::move(its_target)) {}
    Data data;
    Target target;
};

namespace example {
using NoTarget = void;
}

// It is its data.
template <typename Data>
struct Example<Data, example::NoTarget> {
    using DataType = Data;
    using TargetType = example::NoTarget;
    Example() = default;
    Example(Data its_data) : data(std::move(its_data)) {}
    operator Data&() { return data; }
    operator const Data&() const { return data; }
    Data data;
};
using TensorExample = Example<at::Tensor, example::NoTarget>;

namespace datasets {

namespace detail {
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <bool is_optional, typename T>
using OptionalIf = std::conditional_t<is_optional, std::optional<T>, T>;
// What a batch holds: of a dataset that ends, the optional's value.
template <typename T>
struct Batched {
    using Type = T;
};
template <typename T>
struct Batched<std::optional<T>> {
    using Type = T;
};
}  // namespace detail

template <typename Source, typename Applied>
class MapDataset;

// Batches for requests: numbers of examples, or how many of them.
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = c10::ArrayRef<std::size_t>>
class BatchDataset {
  public:
    using SelfType = Self;
    using BatchType = Batch;
    using BatchRequestType = BatchRequest;
    static constexpr bool is_stateful = detail::IsOptional<Batch>::value;

    virtual ~BatchDataset() = default;
    virtual Batch get_batch(BatchRequest request) = 0;
    // How many examples there are, where that is known.
    virtual std::optional<std::size_t> size() const = 0;
    // The dataset with a transform of its batches.
    template <typename Transform>
    MapDataset<Self, Transform> map(Transform transform) & {
        return {static_cast<Self&>(*this), std::move(transform)};
    }
    template <typename Transform>
    MapDataset<Self, Transform> map(Transform transform) && {
        return {std::move(static_cast<Self&>(*this)), std::move(transform)};
    }
};

// Examples by their number.
template <typename Self, typename SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
  public:
    using ExampleType = SingleExample;
    virtual ExampleType get(std::size_t index) = 0;
    std::vector<ExampleType> get_batch(c10::ArrayRef<std::size_t> indices) override {
        std::vector<ExampleType> batch;
        batch.reserve(indices.size());
        for (const std::size_t index : indices) batch.push_back(get(index));
        return batch;
    }
};

// The next ones of a stream; a request is how many.
template <typename Self, typename Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, std::size_t>;

// A stream that ends: no batch is its end, reset() begins it anew.
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = std::size_t>
class StatefulDataset : public BatchDataset<Self, std::optional<Batch>, BatchRequest> {
  public:
    virtual void reset() = 0;
    virtual void save(serialize::OutputArchive& archive) const = 0;
    virtual void load(serialize::InputArchive& archive) = 0;
};
template <typename... T>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const StatefulDataset<T...>& dataset) {
    dataset.save(archive);
    return archive;
}
template <typename... T>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, StatefulDataset<T...>& dataset) {
    dataset.load(archive);
    return archive;
}

template <typename Source, typename Applied>
class MapDataset : public BatchDataset<MapDataset<Source, Applied>,
                                       detail::OptionalIf<Source::is_stateful, typename Applied::OutputBatchType>,
                                       typename Source::BatchRequestType> {
    static_assert(
        std::is_same_v<typename detail::Batched<typename Source::BatchType>::Type, typename Applied::InputBatchType>,
        "the batches of the dataset are not those that the transform takes");

  public:
    using DatasetType = Source;
    using TransformType = Applied;
    using BatchRequestType = typename Source::BatchRequestType;
    using OutputBatchType = detail::OptionalIf<Source::is_stateful, typename Applied::OutputBatchType>;

    MapDataset(Source dataset, Applied transform) : dataset_(std::move(dataset)), transform_(std::move(transform)) {}
    OutputBatchType get_batch(BatchRequestType request) override {
        auto batch = dataset_.get_batch(std::move(request));
        if constexpr (Source::is_stateful) {
            if (!batch) return std::nullopt;
            return transform_.apply_batch(std::move(*batch));
        } else {
            return transform_.apply_batch(std::move(batch));
        }
    }
    std::optional<std::size_t> size() const noexcept override { return dataset_.size(); }
    void reset() { dataset_.reset(); }
    const Source& dataset() noexcept { return dataset_; }
    const Applied& transform() noexcept { return transform_; }

  private:
    Source dataset_;
    Applied transform_;
};
template <typename Source, typename Applied>
MapDataset<Source, Applied> map(Source dataset, Applied transform) {
    return {std::move(dataset), std::move(transform)};
}

// One dataset for several loaders and their workers.
template <typename Underlying>
class SharedBatchDataset : public BatchDataset<SharedBatchDataset<Underlying>, typename Underlying::BatchType,
                                               typename Underlying::BatchRequestType> {
  public:
    using BatchType = typename Underlying::BatchType;
    using BatchRequestType = typename Underlying::BatchRequestType;
    SharedBatchDataset(std::shared_ptr<Underlying> dataset) : dataset_(std::move(dataset)) {}
    BatchType get_batch(BatchRequestType request) override { return dataset_->get_batch(std::move(request)); }
    std::optional<std::size_t> size() const override { return dataset_->size(); }
    Underlying& operator*() { return *dataset_; }
    const Underlying& operator*() const { return *dataset_; }
    Underlying* operator->() { return dataset_.get(); }
    const Underlying* operator->() const { return dataset_.get(); }
    void reset() { dataset_->reset(); }

  private:
    std::shared_ptr<Underlying> dataset_;
};
template <typename Underlying, typename... Arguments>
SharedBatchDataset<Underlying> make_shared_dataset(Arguments&&... arguments) {
    return std::make_shared<Underlying>(std::forward<Arguments>(arguments)...);
}

// The rows of a tensor.
struct TensorDataset : public Dataset<TensorDataset, TensorExample> {
    explicit TensorDataset(const std::vector<at::Tensor>& tensors) : TensorDataset(at::stack(tensors)) {}
    explicit TensorDataset(at::Tensor rows) : tensor(std::move(rows)) {}
    TensorExample get(std::size_t index) override { return tensor[static_cast<std::int64_t>(index)]; }
    std::optional<std::size_t> size() const override { return static_cast<std::size_t>(tensor.size(0)); }
    at::Tensor tensor;
};

// The handwritten digits of LeCun et al., of the four files of http://yann.lecun.com/exdb/mnist, unpacked.
class MNIST : public Dataset<MNIST> {
  public:
    enum class Mode { kTrain, kTest };
    // Throws c10::Error for files that are not there or are no digits.
    explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);
    // data: float32 [1, 28, 28] in 0..1; target: int64.
    Example<> get(std::size_t index) override;
    std::optional<std::size_t> size() const override { return static_cast<std::size_t>(images_.size(0)); }
    bool is_train() const noexcept { return is_train_; }
    const at::Tensor& images() const { return images_; }
    const at::Tensor& targets() const { return targets_; }

  private:
    bool is_train_;
    at::Tensor images_, targets_;
};

}  // namespace datasets

namespace transforms {

// A batch to a batch.
template <typename InputBatch, typename OutputBatch>
class BatchTransform {
  public:
    using InputBatchType = InputBatch;
    using OutputBatchType = OutputBatch;
    virtual ~BatchTransform() = default;
    virtual OutputBatch apply_batch(InputBatch batch) = 0;
};

// An example to an example.
template <typename Input, typename Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
  public:
    using InputType = Input;
    using OutputType = Output;
    virtual Output apply(Input input) = 0;
    std::vector<Output> apply_batch(std::vector<Input> batch) override {
        std::vector<Output> out;
        out.reserve(batch.size());
        for (Input& input : batch) out.push_back(apply(std::move(input)));
        return out;
    }
};

template <typename Input, typename Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
  public:
    using FunctionType = std::function<Output(Input)>;
    explicit BatchLambda(FunctionType function) : function_(std::move(function)) {}
    Output apply_batch(Input batch) override { return function_(std::move(batch)); }

  private:
    FunctionType function_;
};
template <typename Input, typename Output = Input>
class Lambda : public Transform<Input, Output> {
  public:
    using FunctionType = std::function<Output(Input)>;
    explicit Lambda(FunctionType function) : function_(std::move(function)) {}
    Output apply(Input input) override { return function_(std::move(input)); }

  private:
    FunctionType function_;
};

// Examples to one example of all.
template <typename T, typename Batch = std::vector<T>>
using Collation = BatchTransform<Batch, T>;
template <typename T, typename Batch = std::vector<T>>
using Collate = BatchLambda<Batch, T>;

// Tensors on top of each other.
template <typename T = Example<>>
struct Stack;
template <>
struct Stack<Example<>> : public Collation<Example<>> {
    Example<> apply_batch(std::vector<Example<>> examples) override {
        std::vector<at::Tensor> data, targets;
        for (Example<>& example : examples) {
            data.push_back(std::move(example.data));
            targets.push_back(std::move(example.target));
        }
        return {at::stack(data), at::stack(targets)};
    }
};
template <>
struct Stack<TensorExample> : public Collation<TensorExample> {
    TensorExample apply_batch(std::vector<TensorExample> examples) override {
        std::vector<at::Tensor> data;
        for (TensorExample& example : examples) data.push_back(std::move(example.data));
        return at::stack(data);
    }
};

// Of the examples' tensors; targets stay.
template <typename Target = at::Tensor>
class TensorTransform : public Transform<Example<at::Tensor, Target>, Example<at::Tensor, Target>> {
  public:
    using E = Example<at::Tensor, Target>;
    virtual at::Tensor operator()(at::Tensor input) = 0;
    E apply(E example) override {
        example.data = (*this)(std::move(example.data));
        return example;
    }
};
template <typename Target = at::Tensor>
class TensorLambda : public TensorTransform<Target> {
  public:
    using FunctionType = std::function<at::Tensor(at::Tensor)>;
    explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
    at::Tensor operator()(at::Tensor input) override { return function_(std::move(input)); }

  private:
    FunctionType function_;
};
// (x - mean) / stddev of each channel: [C, H, W]; one number stands for all channels.
template <typename Target = at::Tensor>
struct Normalize : public TensorTransform<Target> {
    Normalize(c10::ArrayRef<double> means, c10::ArrayRef<double> deviations)
        : mean(channels(means)), stddev(channels(deviations)) {}
    at::Tensor operator()(at::Tensor input) override { return input.sub(mean).div(stddev); }
    at::Tensor mean, stddev;

  private:
    static at::Tensor channels(c10::ArrayRef<double> values) {
        return torch::tensor(values, c10::kFloat).unsqueeze(1).unsqueeze(2);
    }
};

}  // namespace transforms
}  // namespace torch::data
