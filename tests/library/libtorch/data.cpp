// SPDX-License-Identifier: Apache-2.0
// Datasets of a program, transforms, samplers and loaders with workers; MNIST's files.
#include <torch/torch.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace data = torch::data;

namespace {

c10::ArrayRef<size_t> shown(const std::vector<size_t>& list) { return list; }

// Squares of numbers.
class Squares : public data::datasets::Dataset<Squares> {
  public:
    explicit Squares(int64_t count) : count_(count) {}
    data::Example<> get(size_t index) override {
        const auto x = static_cast<float>(index);
        return {torch::full({2}, x), torch::tensor(x * x)};
    }
    std::optional<size_t> size() const override { return static_cast<size_t>(count_); }

  private:
    int64_t count_;
};

// Texts, without tensors.
struct Words : data::datasets::Dataset<Words, std::string> {
    std::string get(size_t index) override { return std::string(index + 1, static_cast<char>('a' + index)); }
    std::optional<size_t> size() const override { return 5; }
};

// A stream that ends.
class Countdown : public data::datasets::StatefulDataset<Countdown, int, size_t> {
  public:
    std::optional<int> get_batch(size_t size) override {
        if (left_ <= 0) return std::nullopt;
        left_ -= static_cast<int>(size);
        return left_;
    }
    std::optional<size_t> size() const override { return std::nullopt; }
    void reset() override { left_ = 10; }
    void save(torch::serialize::OutputArchive&) const override {}
    void load(torch::serialize::InputArchive&) override {}

  private:
    int left_ = 0;
};

struct Failing : data::datasets::Dataset<Failing, int> {
    int get(size_t index) override {
        if (index == 2) throw std::runtime_error("no example 2");
        return static_cast<int>(index);
    }
    std::optional<size_t> size() const override { return 4; }
};

template <typename Loader>
void print_batches(Loader& loader) {
    for (auto& batch : *loader) std::cout << batch.data.sizes() << ' ' << batch.target << '\n';
}

void run_loaders() {
    auto dataset = Squares(7).map(data::transforms::Stack<>());
    std::cout << dataset.size().value() << '\n';
    auto in_order = data::make_data_loader<data::samplers::SequentialSampler>(dataset, 3);
    print_batches(in_order);
    auto dropped = data::make_data_loader<data::samplers::SequentialSampler>(
        dataset, data::DataLoaderOptions().batch_size(3).drop_last(true));
    print_batches(dropped);
    torch::manual_seed(5);
    auto shuffled = data::make_data_loader(dataset, data::DataLoaderOptions(4));
    print_batches(shuffled);
    print_batches(shuffled);
    auto threads = data::make_data_loader<data::samplers::SequentialSampler>(
        dataset, data::DataLoaderOptions().batch_size(2).workers(2));
    for (int epoch = 0; epoch < 2; ++epoch) print_batches(threads);
    std::cout << threads->options().batch_size << ' ' << threads->options().workers << ' '
              << threads->options().max_jobs << '\n';

    auto words = data::make_data_loader<data::samplers::SequentialSampler>(Words(), 2);
    for (const std::vector<std::string>& batch : *words) {
        for (const std::string& word : batch) std::cout << word << ' ';
        std::cout << '\n';
    }
    auto joined = Words()
                      .map(data::transforms::Lambda<std::string, size_t>([](std::string word) { return word.size(); }))
                      .map(data::transforms::Collate<size_t>([](std::vector<size_t> sizes) {
                          size_t sum = 0;
                          for (const size_t size : sizes) sum += size;
                          return sum;
                      }));
    auto sums = data::make_data_loader(joined, data::samplers::SequentialSampler(5), data::DataLoaderOptions(3));
    for (const size_t sum : *sums) std::cout << sum << ' ';
    std::cout << '\n';

    auto countdown = data::make_data_loader(Countdown(), data::DataLoaderOptions().batch_size(3));
    for (int epoch = 0; epoch < 2; ++epoch)
        for (const int left : *countdown) std::cout << left << ' ';
    std::cout << '\n';

    auto rows = data::datasets::TensorDataset(torch::arange(6).view({3, 2}))
                    .map(data::transforms::Stack<data::TensorExample>());
    auto of_rows = data::make_data_loader<data::samplers::SequentialSampler>(rows, 2);
    for (auto& batch : *of_rows) std::cout << batch.data << '\n';
    auto iterator = of_rows->begin();
    std::cout << iterator->data.sizes() << ' ' << (iterator == of_rows->end()) << '\n';
    ++iterator;
    ++iterator;
    std::cout << (iterator == of_rows->end()) << '\n';

    auto shared = data::datasets::make_shared_dataset<Squares>(4).map(data::transforms::Stack<>());
    auto of_shared =
        data::make_data_loader<data::samplers::SequentialSampler>(shared, data::DataLoaderOptions(4).workers(1));
    print_batches(of_shared);
    auto failing =
        data::make_data_loader<data::samplers::SequentialSampler>(Failing(), data::DataLoaderOptions(1).workers(1));
    try {
        for (const auto& batch : *failing) std::cout << batch[0] << ' ';
    } catch (const data::WorkerException& error) {
        std::cout << error.what() << '\n';
    }
}

void run_transforms() {
    auto normalized = Squares(3)
                          .map(data::transforms::TensorLambda<>([](torch::Tensor x) {
                              return x.view({2, 1, 1});
                          }))
                          .map(data::transforms::Normalize<>({0.5, 1.0}, {0.5, 2.0}))
                          .map(data::transforms::Stack<>());
    auto loader = data::make_data_loader<data::samplers::SequentialSampler>(normalized, 3);
    for (auto& batch : *loader) std::cout << batch.data.flatten(1) << '\n';
}

void run_samplers() {
    data::samplers::SequentialSampler order(5);
    std::cout << shown(order.next(3).value()) << ' ';
    std::cout << order.index() << ' ' << shown(order.next(3).value()) << ' ';
    std::cout << order.next(3).has_value() << '\n';
    torch::manual_seed(1);
    data::samplers::RandomSampler random(6);
    const auto first = random.next(4).value();
    torch::save(random, "sampler.pt");
    data::samplers::RandomSampler again(6);
    torch::load(again, "sampler.pt");
    std::cout << shown(first) << ' ' << random.index() << ' ' << (again.next(4) == random.next(4)) << '\n';
    for (size_t rank = 0; rank < 2; ++rank) {
        data::samplers::DistributedSequentialSampler share(5, 2, rank);
        std::cout << shown(share.next(10).value()) << ' ';
        data::samplers::DistributedRandomSampler shuffled(5, 2, rank, false);
        shuffled.set_epoch(3);
        shuffled.reset();
        std::cout << shuffled.next(10).value().size() << '\n';
    }
    data::samplers::StreamSampler stream(5);
    for (int i = 0; i < 2; ++i) std::cout << stream.next(3)->size() << ' ';
    std::cout << stream.next(3).has_value() << '\n';
}

void write_number(std::ofstream& out, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) out.put(static_cast<char>(number >> shift));
}

// Files as MNIST's test set has them, with pictures made up.
void run_mnist() {
    const uint32_t count = 10000;
    {
        std::ofstream images("t10k-images-idx3-ubyte", std::ios::binary),
            labels("t10k-labels-idx1-ubyte", std::ios::binary);
        write_number(images, 2051);
        write_number(labels, 2049);
        write_number(images, count);
        write_number(labels, count);
        write_number(images, 28);
        write_number(images, 28);
        for (uint32_t i = 0; i < count; ++i) {
            labels.put(static_cast<char>(i % 10));
            images << std::string(784, static_cast<char>(i % 251));
        }
    }
    data::datasets::MNIST digits(".", data::datasets::MNIST::Mode::kTest);
    std::cout << digits.size().value() << ' ' << digits.is_train() << ' ' << digits.images().sizes() << ' '
              << digits.targets().sizes() << ' ' << digits.targets().dtype() << '\n';
    const auto example = digits.get(123);
    std::cout << example.data.sizes() << ' ' << example.data.mean().item<float>() << ' '
              << example.target.item<int64_t>() << '\n';
    auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
        digits.map(data::transforms::Normalize<>(0.1307, 0.3081)).map(data::transforms::Stack<>()), 4000);
    for (auto& batch : *loader) std::cout << batch.data.sizes() << ' ' << batch.target.sum().item<int64_t>() << '\n';
    std::remove("t10k-images-idx3-ubyte");
    std::remove("t10k-labels-idx1-ubyte");
    try {
        data::datasets::MNIST nothing("nowhere");
    } catch (const c10::Error&) {
        std::cout << "no such files\n";
    }
}

}  // namespace

int main() {
    run_loaders();
    run_transforms();
    run_samplers();
    run_mnist();
}
