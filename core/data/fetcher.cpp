// SPDX-License-Identifier: Apache-2.0
#include "core/data/fetcher.h"

#include "core/base/strings.h"
#include "core/data/error.h"

namespace loupe::data {
namespace {

// A stream that always fails would not end.
constexpr int kMostFailuresInARow = 1000;

// The same error with the place before its text. PyTorch names the worker too.
[[noreturn]] void rethrow_with(const std::string& place) {
    const std::string worker =
        worker_info() != nullptr ? concat("DataLoader worker ", worker_info()->id) : std::string();
    const std::string where = concat(place, !place.empty() && !worker.empty() ? ", " : "", worker);
    try {
        throw;
    } catch (const ArgumentError& error) {
        if (where.empty()) throw;
        throw ArgumentError(error.python_class(), concat(where, ": ", error.message()));
    } catch (const Error& error) {
        if (where.empty() || error.kind() == ErrorKind::Cancelled) throw;
        throw Error(error.kind(), concat(where, ": ", error.message()), error.context());
    } catch (const std::exception& error) {
        throw Error(ErrorKind::Run, concat(where, where.empty() ? "" : ": ", error.what()));
    }
}

// Damaged or missing files; not a wrong index or our own bug.
bool is_damage(const Error& error) {
    return error.kind() == ErrorKind::File || error.kind() == ErrorKind::Usage ||
           error.kind() == ErrorKind::Unsupported;
}

class BatchMaker : public Fetcher {
  public:
    explicit BatchMaker(const LoaderOptions& options)
        : collate_(options.collate),
          makes_batches_(options.batch_size || options.batch_sampler),
          on_damage_(options.on_damage) {}

  protected:
    bool makes_batches() const { return makes_batches_; }
    bool skips() const { return on_damage_ == OnDamage::Skip; }

    IValue make(std::vector<IValue> samples, bool is_bound) const {
        try {
            if (collate_) return collate_(std::move(samples));
            return makes_batches_ ? default_collate(samples) : default_convert(samples.front());
        } catch (...) {
            if (is_bound) throw;
            rethrow_with({});
        }
    }

  private:
    Collate collate_;
    bool makes_batches_;
    OnDamage on_damage_;
};

class MapFetcher final : public BatchMaker {
  public:
    MapFetcher(DatasetPtr dataset, const LoaderOptions& options) : BatchMaker(options), dataset_(std::move(dataset)) {}

    Outcome fetch(const Keys& keys) override {
        Outcome outcome;
        std::vector<IValue> samples;
        auto together = makes_batches() && !skips() ? dataset_->get_together(keys) : std::nullopt;
        if (together)
            samples = std::move(*together);
        else
            read_each(keys, samples, outcome.skipped);
        if (samples.empty() && !outcome.skipped.empty())
            outcome.kind = Outcome::Kind::Nothing;
        else
            outcome.batch = make(std::move(samples), dataset_->is_bound_to_thread());
        return outcome;
    }

  private:
    void read_each(const Keys& keys, std::vector<IValue>& samples, std::vector<SkippedSample>& skipped) const {
        samples.reserve(keys.size());
        for (const IValue& key : keys) {
            try {
                samples.push_back(read(key));
            } catch (const Error& error) {
                if (!skips() || !is_damage(error)) throw;
                skipped.push_back({key, error.what()});
            }
        }
    }
    IValue read(const IValue& key) const {
        // Errors of data sets bound to a thread have their own type, with traces: they are rethrown unchanged.
        if (dataset_->is_bound_to_thread()) return dataset_->get_by_key(key);
        try {
            return dataset_->get_by_key(key);
        } catch (...) {
            rethrow_with(place_of(key));
        }
    }
    std::string place_of(const IValue& key) const {
        const std::string place = key.is_int() && key.to_int() >= 0 && key.to_int() < dataset_->size()
                                      ? dataset_->place_of(key.to_int())
                                      : "";
        return concat("sample ", python_repr(key), place.empty() ? "" : concat(" (", place, ")"));
    }

    DatasetPtr dataset_;
};

class StreamFetcher final : public BatchMaker {
  public:
    StreamFetcher(IterableDatasetPtr dataset, const LoaderOptions& options)
        : BatchMaker(options), dataset_(std::move(dataset)), drop_last_(options.drop_last) {}

    Outcome fetch(const Keys& keys) override {
        Outcome outcome;
        if (!stream_ && !is_ended_) stream_ = dataset_->iterate();
        std::vector<IValue> samples;
        while (!is_ended_ && samples.size() < keys.size()) {
            if (auto sample = read(outcome.skipped))
                samples.push_back(std::move(*sample));
            else
                is_ended_ = true;
        }
        if (samples.empty() || (drop_last_ && samples.size() < keys.size()))
            outcome.kind = Outcome::Kind::Ended;
        else
            outcome.batch = make(std::move(samples), dataset_->is_bound_to_thread());
        return outcome;
    }

  private:
    std::optional<IValue> read(std::vector<SkippedSample>& skipped) {
        for (int failures = 0;; ++failures) {
            const std::int64_t number = read_++;
            try {
                return read_next(number);
            } catch (const Error& error) {
                if (!skips() || !is_damage(error) || failures == kMostFailuresInARow) throw;
                skipped.push_back({number, error.what()});
            }
        }
    }
    std::optional<IValue> read_next(std::int64_t number) {
        if (dataset_->is_bound_to_thread()) return stream_->next();
        try {
            return stream_->next();
        } catch (...) {
            rethrow_with(concat("sample ", number));
        }
    }

    IterableDatasetPtr dataset_;
    bool drop_last_;
    Ptr<SampleStream> stream_;
    std::int64_t read_ = 0;
    bool is_ended_ = false;
};

}  // namespace

Outcome Fetcher::try_fetch(const Keys& keys) {
    try {
        return fetch(keys);
    } catch (...) {
        Outcome outcome;
        outcome.kind = Outcome::Kind::Failed;
        outcome.failure = std::current_exception();
        return outcome;
    }
}

std::unique_ptr<Fetcher> make_fetcher(DatasetPtr dataset, const LoaderOptions& options) {
    return std::make_unique<MapFetcher>(std::move(dataset), options);
}
std::unique_ptr<Fetcher> make_fetcher(IterableDatasetPtr dataset, const LoaderOptions& options) {
    return std::make_unique<StreamFetcher>(std::move(dataset), options);
}

}  // namespace loupe::data
