// SPDX-License-Identifier: Apache-2.0
#pragma once
// Making one batch, in whatever thread.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/loader_options.h"

namespace loupe::data {

// The result of a request for a batch.
struct Outcome {
    enum class Kind {
        Batch,
        Nothing,  // all samples were left out
        Ended,    // the stream has no more
        Failed,
    };
    Kind kind = Kind::Batch;
    IValue batch;
    std::exception_ptr failure = nullptr;
    std::vector<SkippedSample> skipped;
};

class Fetcher {
  public:
    virtual ~Fetcher() = default;
    // Throws the data set's errors, with the sample's place.
    virtual Outcome fetch(const Keys& keys) = 0;
    // The same, the error in the outcome; Cancelled too.
    Outcome try_fetch(const Keys& keys);
};

std::unique_ptr<Fetcher> make_fetcher(DatasetPtr dataset, const LoaderOptions& options);
std::unique_ptr<Fetcher> make_fetcher(IterableDatasetPtr dataset, const LoaderOptions& options);

}  // namespace loupe::data
