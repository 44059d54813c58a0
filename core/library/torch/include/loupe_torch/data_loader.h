// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::data::make_data_loader: the batches of a dataset, made by worker threads ahead of the program.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <loupe_torch/arg.h>
#include <loupe_torch/datasets.h>
#include <loupe_torch/samplers.h>

namespace torch::data {

class DataLoaderOptions {
  public:
    DataLoaderOptions() = default;
    DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}
    TORCH_ARG(std::size_t, batch_size) = 1;
    TORCH_ARG(std::size_t, workers) = 0;                           // without one the program's thread makes batches
    TORCH_ARG(std::optional<std::size_t>, max_jobs);               // batches under way; 2 a worker
    TORCH_ARG(std::optional<std::chrono::milliseconds>, timeout);  // of a batch
    TORCH_ARG(bool, enforce_ordering) = true;                      // batches come in the order of the sampler
    TORCH_ARG(bool, drop_last) = false;                            // a last batch that is not full
};

struct FullDataLoaderOptions {
    explicit FullDataLoaderOptions(const DataLoaderOptions& options)
        : batch_size(options.batch_size()),
          workers(options.workers()),
          max_jobs(options.max_jobs().value_or(2 * workers)),
          timeout(options.timeout()),
          enforce_ordering(options.enforce_ordering()),
          drop_last(options.drop_last()) {}
    std::size_t batch_size, workers, max_jobs;
    std::optional<std::chrono::milliseconds> timeout;
    bool enforce_ordering, drop_last;
};

// Of an exception that a dataset threw in a worker.
struct WorkerException : public std::exception {
    explicit WorkerException(std::exception_ptr original) : original_exception(std::move(original)) {
        try {
            std::rethrow_exception(original_exception);
        } catch (const std::exception& error) {
            message += std::string(" Original message: ") + error.what();
        } catch (...) {
        }
    }
    const char* what() const noexcept override { return message.c_str(); }
    std::exception_ptr original_exception;
    std::string message = "Caught exception in DataLoader worker thread.";
};

// Over the batches of one epoch. Equal to end() when there is none left.
template <typename Batch>
class Iterator {
  public:
    using difference_type = std::ptrdiff_t;
    using value_type = Batch;
    using pointer = Batch*;
    using reference = Batch&;
    using iterator_category = std::input_iterator_tag;
    using Producer = std::function<std::optional<Batch>()>;

    Iterator() = default;  // the end
    explicit Iterator(Producer next) : state_(std::make_shared<State>()) { state_->next = std::move(next); }
    // Throw c10::Error past the end.
    Iterator& operator++() {
        TORCH_CHECK(batch().has_value(), "Attempted to increment iterator past the end");
        state_->batch = state_->next();
        return *this;
    }
    Batch& operator*() const {
        TORCH_CHECK(batch().has_value(), "Attempted to dereference iterator that was past the end");
        return *state_->batch;
    }
    Batch* operator->() const { return &**this; }
    friend bool operator==(const Iterator& a, const Iterator& b) {
        return a.state_ == b.state_ || (!a.batch().has_value() && !b.batch().has_value());
    }

  private:
    struct State {
        Producer next;
        std::optional<Batch> batch;
        bool is_begun = false;
    };
    // The first batch is made when it is asked for.
    const std::optional<Batch>& batch() const {
        static const std::optional<Batch> none;
        if (state_ == nullptr) return none;
        if (!std::exchange(state_->is_begun, true)) state_->batch = state_->next();
        return state_->batch;
    }
    std::shared_ptr<State> state_;
};

template <typename Dataset, typename Batch, typename BatchRequest>
class DataLoaderBase {
  public:
    using BatchType = Batch;
    using BatchRequestType = BatchRequest;
    explicit DataLoaderBase(const DataLoaderOptions& options) : options_(options) {}
    DataLoaderBase(const DataLoaderBase&) = delete;
    DataLoaderBase& operator=(const DataLoaderBase&) = delete;
    virtual ~DataLoaderBase() { join(); }

    // Begins an epoch. Throws c10::Error while another is not at its end.
    Iterator<Batch> begin() {
        {
            const std::lock_guard lock(mutex_);
            TORCH_CHECK(under_way_ == 0,
                        "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
            results_.clear();
        }
        begin_epoch();
        asked_ = given_ = 0;
        for (std::size_t i = 0; i < options_.max_jobs; ++i)
            if (!push_next()) break;
        return Iterator<Batch>([this] { return next(); });
    }
    Iterator<Batch> end() { return {}; }
    // Ends the workers: no epoch can begin any more. What is under way is dropped.
    void join() {
        {
            const std::lock_guard lock(mutex_);
            under_way_ -= jobs_.size();
            jobs_.clear();
            is_over_ = true;
        }
        job_came_.notify_all();
        for (std::thread& worker : workers_) worker.join();
        workers_.clear();
    }
    const FullDataLoaderOptions& options() const noexcept { return options_; }

  protected:
    virtual void begin_epoch() = 0;
    virtual std::optional<BatchRequest> next_request() = 0;
    // Each worker has a copy of the dataset, or they share one.
    void start(Dataset dataset) {
        for (std::size_t i = 0; i < options_.workers; ++i)
            workers_.emplace_back([this, copy = std::make_shared<Dataset>(dataset)] { work(*copy); });
        if (options_.workers == 0) dataset_ = std::make_shared<Dataset>(std::move(dataset));
    }
    void start_shared(std::shared_ptr<Dataset> dataset) {
        for (std::size_t i = 0; i < options_.workers; ++i) workers_.emplace_back([this, dataset] { work(*dataset); });
        dataset_ = std::move(dataset);
    }

    const FullDataLoaderOptions options_;
    std::shared_ptr<Dataset> dataset_;

  private:
    struct Result {
        std::optional<Batch> batch;
        std::exception_ptr exception;
    };

    static std::optional<Batch> as_optional(std::optional<Batch> batch) { return batch; }
    bool push_next() {
        std::optional<BatchRequest> request = next_request();
        if (!request) return false;
        {
            const std::lock_guard lock(mutex_);
            jobs_.emplace_back(asked_++, std::move(*request));
            ++under_way_;
        }
        job_came_.notify_one();
        return true;
    }
    std::optional<Batch> next() {
        if (options_.workers == 0) {
            std::optional<BatchRequest> request = next_request();
            return request ? as_optional(dataset_->get_batch(std::move(*request))) : std::nullopt;
        }
        for (;;) {
            std::optional<Result> result = pop_result();
            if (!result) return std::nullopt;
            if (result->exception) throw WorkerException(result->exception);
            if (!result->batch) continue;  // a stream is at its end: what is under way is too
            push_next();
            return std::move(result->batch);
        }
    }
    std::optional<Result> pop_result() {
        std::unique_lock lock(mutex_);
        if (under_way_ == 0) return std::nullopt;
        const auto is_there = [&] {
            return !results_.empty() && (!options_.enforce_ordering || results_.begin()->first == given_);
        };
        if (!options_.timeout)
            result_came_.wait(lock, is_there);
        else
            TORCH_CHECK(result_came_.wait_for(lock, *options_.timeout, is_there),
                        "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                        options_.timeout->count(), " ms)");
        Result result = std::move(results_.begin()->second);
        results_.erase(results_.begin());
        ++given_;
        --under_way_;
        return result;
    }
    void work(Dataset& dataset) {
        for (;;) {
            std::unique_lock lock(mutex_);
            job_came_.wait(lock, [&] { return is_over_ || !jobs_.empty(); });
            if (is_over_) return;
            auto [number, request] = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            Result result;
            try {
                result.batch = as_optional(dataset.get_batch(std::move(request)));
            } catch (...) {
                result.exception = std::current_exception();
            }
            lock.lock();
            results_.emplace(number, std::move(result));
            lock.unlock();
            result_came_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable job_came_, result_came_;
    std::deque<std::pair<std::size_t, BatchRequest>> jobs_;
    std::map<std::size_t, Result> results_;  // by the number of the job
    std::size_t asked_ = 0, given_ = 0, under_way_ = 0;
    bool is_over_ = false;
    std::vector<std::thread> workers_;
};

template <typename Dataset, typename Sampler>
class StatelessDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType> {
    using Base = DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;

  public:
    StatelessDataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions& options)
        : Base(options), sampler_(std::move(sampler)) {
        this->start(std::move(dataset));
    }
    ~StatelessDataLoader() override { this->join(); }

  private:
    void begin_epoch() override { sampler_.reset(std::nullopt); }
    std::optional<typename Sampler::BatchRequestType> next_request() override {
        auto request = sampler_.next(this->options_.batch_size);
        const bool is_dropped = request && request->size() < this->options_.batch_size && this->options_.drop_last;
        return is_dropped ? std::nullopt : std::move(request);
    }
    Sampler sampler_;
};

template <typename Dataset>
class StatefulDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type, typename Dataset::BatchRequestType> {
    using Base = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type, typename Dataset::BatchRequestType>;

  public:
    StatefulDataLoader(Dataset dataset, const DataLoaderOptions& options) : Base(options) {
        this->start_shared(std::make_shared<Dataset>(std::move(dataset)));
    }
    ~StatefulDataLoader() override { this->join(); }

  private:
    void begin_epoch() override { this->dataset_->reset(); }
    std::optional<typename Dataset::BatchRequestType> next_request() override { return this->options_.batch_size; }
};

template <typename Dataset, typename Sampler>
requires(!Dataset::is_stateful &&
         requires {
             typename Sampler::BatchRequestType;
         }) std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset, Sampler sampler,
                                                                                    DataLoaderOptions options) {
    return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler), options);
}
// With a sampler of its size. Throws c10::Error for a dataset that does not know its size.
template <typename Sampler = samplers::RandomSampler, typename Dataset>
requires(!Dataset::is_stateful && std::is_constructible_v<Sampler, std::size_t>)
    std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                                            DataLoaderOptions options = {}) {
    const std::optional<std::size_t> size = dataset.size();
    TORCH_CHECK(size.has_value(), "Expected the dataset to be sized in order to construct the Sampler");
    return make_data_loader(std::move(dataset), Sampler(*size), std::move(options));
}
template <typename Dataset>
requires(Dataset::is_stateful) std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = {}) {
    return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace torch::data
