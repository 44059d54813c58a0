// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/backend.h"

namespace loupe::distributed {
namespace {

std::vector<Backend*>& all_backends() {
    static std::vector<Backend*> all;
    return all;
}

}  // namespace

void add_backend(Backend& backend) {
    for (const Backend* each : all_backends()) {
        if (std::string_view(each->name()) == backend.name())
            throw Error(ErrorKind::Plugin, concat("gives the backend '", backend.name(), "', which is there"));
    }
    all_backends().push_back(&backend);
}

const std::vector<Backend*>& backends() { return all_backends(); }

}  // namespace loupe::distributed
