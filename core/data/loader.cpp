// SPDX-License-Identifier: Apache-2.0
#include "core/data/loader.h"

#include "core/base/strings.h"
#include "core/data/error.h"
#include "core/data/load_log.h"
#include "core/data/workers.h"

namespace loupe::data {
namespace {

// One key a time, as a batch of one.
class SingleKeys final : public BatchKeyStream {
  public:
    explicit SingleKeys(Ptr<KeyStream> keys) : keys_(std::move(keys)) {}
    std::optional<Keys> next() override {
        auto key = keys_->next();
        if (!key) return std::nullopt;
        return Keys{std::move(*key)};
    }

  private:
    Ptr<KeyStream> keys_;
};

// Streams have no keys, only a count.
class EndlessKeys final : public BatchKeyStream {
  public:
    explicit EndlessKeys(std::size_t count) : count_(count) {}
    std::optional<Keys> next() override { return Keys(count_); }

  private:
    std::size_t count_;
};

void add_skipped(std::vector<SkippedSample>& all, std::vector<SkippedSample> more) {
    for (SkippedSample& sample : more) all.push_back(std::move(sample));
}

// Batches are made on request.
class DirectStream final : public BatchStream {
  public:
    DirectStream(Ptr<BatchKeyStream> keys, std::unique_ptr<Fetcher> fetcher)
        : keys_(std::move(keys)), fetcher_(std::move(fetcher)) {}

    std::optional<IValue> next() override {
        while (!is_ended_) {
            check_cancelled();
            const auto keys = keys_->next();
            if (!keys) break;
            Outcome outcome = fetch(*keys);
            add_skipped(skipped_, std::move(outcome.skipped));
            if (outcome.kind == Outcome::Kind::Batch) return std::move(outcome.batch);
            is_ended_ = outcome.kind == Outcome::Kind::Ended;
        }
        is_ended_ = true;
        return std::nullopt;
    }
    const std::vector<SkippedSample>& skipped() const override { return skipped_; }

  private:
    Outcome fetch(const Keys& keys) {
        LoadScope noted(*log_, LoadKind::Loop, pass_, next_++);
        Outcome outcome = fetcher_->fetch(keys);
        if (outcome.kind == Outcome::Kind::Ended) noted.cancel();
        return outcome;
    }

    Ptr<BatchKeyStream> keys_;
    std::unique_ptr<Fetcher> fetcher_;
    const std::shared_ptr<LoadLog> log_ = LoadLog::of_thread();
    const std::uint32_t pass_ = log_->begin_pass();
    std::uint64_t next_ = 0;
    std::vector<SkippedSample> skipped_;
    bool is_ended_ = false;
};

// Batch n is made by worker n modulo their number, as long as all have data, and returned in order.
class AheadStream final : public BatchStream {
  public:
    AheadStream(Ptr<BatchKeyStream> keys, std::shared_ptr<Pass> pass, std::shared_ptr<WorkerPool> pool,
                const LoaderOptions& options)
        : keys_(std::move(keys)),
          pass_(std::move(pass)),
          pool_(std::move(pool)),
          timeout_(options.timeout),
          has_data_(pool_->size(), true) {
        for (std::size_t i = 0; i < pool_->size() * static_cast<std::size_t>(options.prefetch_factor); ++i)
            request_batch();
    }
    ~AheadStream() override { pass_->stop(); }

    std::optional<IValue> next() override {
        while (next_ < requested_) {
            const std::size_t number = next_;
            const std::size_t worker = worker_of_.at(number);
            if (!has_data_[worker] && !pass_->has(number) && pool_->has_threads()) {
                pass_over(number);
                continue;
            }
            Outcome outcome = wait_for(worker, number);
            pass_over(number);
            add_skipped(skipped_, std::move(outcome.skipped));
            if (outcome.kind == Outcome::Kind::Ended) has_data_[worker] = false;
            request_batch();
            if (outcome.kind == Outcome::Kind::Failed) std::rethrow_exception(outcome.failure);
            if (outcome.kind == Outcome::Kind::Batch) return std::move(outcome.batch);
        }
        return std::nullopt;
    }
    const std::vector<SkippedSample>& skipped() const override { return skipped_; }

  private:
    Outcome wait_for(std::size_t worker, std::size_t number) {
        LoadScope noted(pass_->log(), LoadKind::Wait, pass_->number(), number, static_cast<std::uint32_t>(worker));
        if (!pool_->has_threads()) pool_->make_in_place(worker, number);
        Outcome outcome = pass_->take(number, timeout_);
        if (outcome.kind == Outcome::Kind::Ended) noted.cancel();
        return outcome;
    }

    void pass_over(std::size_t number) {
        worker_of_.erase(number);
        ++next_;
    }

    void request_batch() {
        if (is_exhausted_) return;
        auto keys = keys_->next();
        if (!keys) {
            is_exhausted_ = true;
            return;
        }
        for (std::size_t tried = 0; tried < pool_->size(); ++tried) {
            const std::size_t worker = turn_++ % pool_->size();
            if (!has_data_[worker]) continue;
            worker_of_[requested_] = worker;
            pool_->post(worker, pass_, requested_++, std::move(*keys));
            return;
        }
    }

    Ptr<BatchKeyStream> keys_;
    std::shared_ptr<Pass> pass_;
    std::shared_ptr<WorkerPool> pool_;
    double timeout_;
    std::vector<bool> has_data_;  // by worker: its stream has not ended
    std::unordered_map<std::size_t, std::size_t> worker_of_;
    std::size_t turn_ = 0;
    std::size_t requested_ = 0;
    std::size_t next_ = 0;
    bool is_exhausted_ = false;
    std::vector<SkippedSample> skipped_;
};

}  // namespace

DataLoader::DataLoader(DatasetPtr dataset, LoaderOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)) {
    check_options();
    if (options_.batch_sampler) return;
    if (!options_.sampler) {
        if (options_.shuffle)
            options_.sampler = make_ptr<RandomSampler>(dataset_->size(), false, std::nullopt, options_.generator);
        else
            options_.sampler = make_ptr<SequentialSampler>(dataset_->size());
    }
    if (options_.batch_size)
        options_.batch_sampler = make_ptr<BatchSampler>(options_.sampler, *options_.batch_size, options_.drop_last);
}

DataLoader::DataLoader(IterableDatasetPtr dataset, LoaderOptions options)
    : iterable_(std::move(dataset)), options_(std::move(options)) {
    const auto refuse = [](const char* what, const char* given) {
        throw_value_error(concat("DataLoader with IterableDataset: expected unspecified ", what, " option, but got ",
                                 what, "=", given));
    };
    if (options_.shuffle) refuse("shuffle", "True");
    if (options_.sampler) refuse("sampler", "a sampler");
    if (options_.batch_sampler) refuse("batch_sampler", "a batch sampler");
    check_options();
    if (options_.batch_size && *options_.batch_size <= 0) {
        throw_value_error(
            concat("batch_size should be a positive integer value, but got batch_size=", *options_.batch_size));
    }
}

DataLoader::~DataLoader() = default;

void DataLoader::check_options() const {
    const LoaderOptions& o = options_;
    if (o.num_workers < 0) {
        throw_value_error("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.");
    }
    if (o.timeout < 0) throw_value_error("timeout option should be non-negative");
    if (o.num_workers == 0 && o.prefetch_factor != 2) {
        throw_value_error(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing.");
    }
    if (o.prefetch_factor <= 0) throw ArgumentError("AssertionError", "");
    if (o.persistent_workers && o.num_workers == 0)
        throw_value_error("persistent_workers option needs num_workers > 0");
    if (o.sampler && o.shuffle) throw_value_error("sampler option is mutually exclusive with shuffle");
    if (o.batch_sampler && (o.batch_size != 1 || o.shuffle || o.sampler || o.drop_last)) {
        throw_value_error(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last");
    }
    if (!o.batch_sampler && !o.batch_size && o.drop_last) {
        throw_value_error("batch_size=None option disables auto-batching and is mutually exclusive with drop_last");
    }
}

std::int64_t DataLoader::size() const {
    std::optional<std::int64_t> size;
    if (iterable_) {
        size = iterable_->size();
        if (size && options_.batch_size) {
            size = options_.drop_last ? *size / *options_.batch_size
                                      : (*size + *options_.batch_size - 1) / *options_.batch_size;
        }
    } else {
        size = options_.batch_sampler ? options_.batch_sampler->size() : options_.sampler->size();
    }
    if (!size) throw_type_error("the number of batches is not known: the data set or its sampler has no length");
    return *size;
}

// In PyTorch's order: the sampler begins, then the workers' seed is drawn, once where they persist.
Ptr<BatchStream> DataLoader::iterate() {
    Ptr<BatchKeyStream> keys;
    if (iterable_)
        keys = make_ptr<EndlessKeys>(static_cast<std::size_t>(options_.batch_size.value_or(1)));
    else if (options_.batch_sampler)
        keys = options_.batch_sampler->iterate();
    else
        keys = make_ptr<SingleKeys>(options_.sampler->iterate());
    const std::uint64_t base_seed = pool_ ? 0 : static_cast<std::uint64_t>(draw_seed(options_.generator.get()));
    const auto fetcher = [&] {
        return iterable_ ? make_fetcher(iterable_, options_) : make_fetcher(dataset_, options_);
    };
    if (options_.num_workers == 0) return make_ptr<DirectStream>(std::move(keys), fetcher());
    std::vector<std::unique_ptr<Fetcher>> fetchers;
    for (int i = 0; i < options_.num_workers; ++i) fetchers.push_back(fetcher());
    auto pool = pool_;
    if (!pool) {
        const bool is_bound = iterable_ ? iterable_->is_bound_to_thread() : dataset_->is_bound_to_thread();
        pool = std::make_shared<WorkerPool>(options_.num_workers, base_seed, options_.worker_init, !is_bound);
        if (options_.persistent_workers) pool_ = pool;
    }
    return make_ptr<AheadStream>(std::move(keys), std::make_shared<Pass>(std::move(fetchers), LoadLog::of_thread()),
                                 std::move(pool), options_);
}

}  // namespace loupe::data
