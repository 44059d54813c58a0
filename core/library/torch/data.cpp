// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <random>

#include <loupe_torch/data_loader.h>
#include <loupe_torch/datasets.h>
#include <loupe_torch/samplers.h>

namespace torch::data {
namespace samplers {
namespace {

void write_number(serialize::OutputArchive& archive, const char* name, std::size_t number) {
    archive.write(name, torch::tensor(static_cast<std::int64_t>(number)), /*is_buffer=*/true);
}
std::size_t read_number(serialize::InputArchive& archive, const char* name) {
    at::Tensor number;
    archive.read(name, number, /*is_buffer=*/true);
    return static_cast<std::size_t>(number.item<std::int64_t>());
}

}  // namespace

RandomSampler::RandomSampler(std::int64_t size, c10::ScalarType index_dtype)
    : indices_(at::randperm(size, index_dtype)) {}
void RandomSampler::reset(std::optional<std::size_t> new_size) {
    const auto size = static_cast<std::int64_t>(new_size.value_or(static_cast<std::size_t>(indices_.numel())));
    indices_ = at::randperm(size, indices_.scalar_type());
    index_ = 0;
}
std::optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
    const std::int64_t end = std::min(index_ + static_cast<std::int64_t>(batch_size), indices_.numel());
    if (end == index_) return std::nullopt;
    const at::Tensor slice = indices_.slice(0, index_, end).to(c10::kLong);
    index_ = end;
    const auto* first = slice.data_ptr<std::int64_t>();
    return std::vector<std::size_t>(first, first + slice.numel());
}
void RandomSampler::save(serialize::OutputArchive& archive) const {
    write_number(archive, "index", index());
    archive.write("indices", indices_, /*is_buffer=*/true);
}
void RandomSampler::load(serialize::InputArchive& archive) {
    index_ = static_cast<std::int64_t>(read_number(archive, "index"));
    archive.read("indices", indices_, /*is_buffer=*/true);
}

void SequentialSampler::reset(std::optional<std::size_t> new_size) {
    size_ = new_size.value_or(size_);
    index_ = 0;
}
std::optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batch_size) {
    if (index_ == size_) return std::nullopt;
    std::vector<std::size_t> batch(std::min(batch_size, size_ - index_));
    std::iota(batch.begin(), batch.end(), index_);
    index_ += batch.size();
    return batch;
}
void SequentialSampler::save(serialize::OutputArchive& archive) const { write_number(archive, "index", index_); }
void SequentialSampler::load(serialize::InputArchive& archive) { index_ = read_number(archive, "index"); }

void StreamSampler::reset(std::optional<std::size_t> new_size) {
    epoch_size_ = new_size.value_or(epoch_size_);
    retrieved_ = 0;
}
std::optional<BatchSize> StreamSampler::next(std::size_t batch_size) {
    if (retrieved_ >= epoch_size_) return std::nullopt;
    const BatchSize batch(std::min(batch_size, epoch_size_ - retrieved_));
    retrieved_ += batch;
    return batch;
}
void StreamSampler::save(serialize::OutputArchive& archive) const {
    write_number(archive, "examples_retrieved_so_far", retrieved_);
}
void StreamSampler::load(serialize::InputArchive& archive) {
    retrieved_ = read_number(archive, "examples_retrieved_so_far");
}

DistributedSequentialSampler::DistributedSequentialSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                                           bool allow_duplicates)
    : DistributedSampler<>(size, num_replicas, rank, allow_duplicates) {
    list_indices();
}
void DistributedSequentialSampler::list_indices() {
    all_indices_.resize(num_replicas_ == 1 ? size_ : local_sample_count() * num_replicas_);
    // Those that come twice are the first ones.
    for (std::size_t i = 0; i < all_indices_.size(); ++i) all_indices_[i] = i < size_ ? i : i - size_;
    index_ = begin_index();
}
void DistributedSequentialSampler::reset(std::optional<std::size_t> new_size) {
    size_ = new_size.value_or(size_);
    list_indices();
}
std::optional<std::vector<std::size_t>> DistributedSequentialSampler::next(std::size_t batch_size) {
    const std::size_t last = begin_index() + local_sample_count();
    if (index_ == last) return std::nullopt;
    const auto at = [&](std::size_t i) { return all_indices_.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t end = std::min(index_ + batch_size, last);
    std::vector<std::size_t> batch(at(index_), at(end));
    index_ = end;
    return batch;
}
void DistributedSequentialSampler::save(serialize::OutputArchive& archive) const {
    write_number(archive, "sample_index_", index_);
}
void DistributedSequentialSampler::load(serialize::InputArchive& archive) {
    index_ = read_number(archive, "sample_index_");
}

DistributedRandomSampler::DistributedRandomSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                                   bool allow_duplicates)
    : DistributedSequentialSampler(size, num_replicas, rank, allow_duplicates) {
    DistributedRandomSampler::reset(size);
}
void DistributedRandomSampler::reset(std::optional<std::size_t> new_size) {
    DistributedSequentialSampler::reset(new_size);
    std::mt19937 numbers(static_cast<std::mt19937::result_type>(epoch_));
    std::shuffle(all_indices_.begin(), all_indices_.end(), numbers);
}
void DistributedRandomSampler::save(serialize::OutputArchive& archive) const {
    DistributedSequentialSampler::save(archive);
    write_number(archive, "epoch_", epoch_);
}
void DistributedRandomSampler::load(serialize::InputArchive& archive) {
    epoch_ = read_number(archive, "epoch_");
    DistributedRandomSampler::reset(size_);
    DistributedSequentialSampler::load(archive);
}

}  // namespace samplers

namespace datasets {
namespace {

// The bytes of an IDX file of `dims` sizes after its magic number. Numbers of its head are of the big end first.
at::Tensor read_idx(const std::string& path, std::uint32_t magic, std::size_t dims) {
    std::ifstream file(path, std::ios::binary);
    TORCH_CHECK(file, "Error opening images file at ", path);
    const auto number = [&] {
        std::array<unsigned char, 4> bytes{};
        file.read(reinterpret_cast<char*>(bytes.data()), 4);
        TORCH_CHECK(file, "the file ", path, " ends in its head");
        return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
    };
    const std::uint32_t found = number();
    TORCH_CHECK(found == magic, "Expected to read number ", magic, " but found ", found, " instead");
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < dims; ++i) sizes.push_back(number());
    const std::streampos begin = file.tellg();
    file.seekg(0, std::ios::end);
    const auto count = std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
    TORCH_CHECK(static_cast<double>(file.tellg() - begin) >= count, "the file ", path,
                " is shorter than its head says");
    file.seekg(begin);
    at::Tensor bytes = at::empty(sizes, c10::kByte);
    file.read(static_cast<char*>(bytes.data_ptr()), bytes.numel());
    return bytes;
}

}  // namespace

MNIST::MNIST(const std::string& root, Mode mode) : is_train_(mode == Mode::kTrain) {
    const std::string begin = root + (is_train_ ? "/train-" : "/t10k-");
    images_ = read_idx(begin + "images-idx3-ubyte", 2051, 3).unsqueeze(1).to(c10::kFloat).div_(255);
    targets_ = read_idx(begin + "labels-idx1-ubyte", 2049, 1).to(c10::kLong);
    TORCH_CHECK(images_.size(0) == targets_.size(0), "there are ", images_.size(0), " images and ", targets_.size(0),
                " labels");
}
Example<> MNIST::get(std::size_t index) {
    const auto at = static_cast<std::int64_t>(index);
    return {images_[at], targets_[at]};
}

}  // namespace datasets
}  // namespace torch::data
