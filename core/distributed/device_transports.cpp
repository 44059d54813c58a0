// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/device_transport.h"

namespace loupe::distributed {
namespace {

std::array<DeviceTransport*, kDeviceTypes> transports{};

}  // namespace

void add_device_transport(DeviceTransport& transport) {
    DeviceTransport*& place = transports.at(static_cast<std::size_t>(transport.device()));
    if (place != nullptr)
        throw Error(ErrorKind::Plugin,
                    concat("gives the transport '", transport.name(), "' of ", device_type_name(transport.device()),
                           ", which has '", place->name(), "'"));
    place = &transport;
}

DeviceTransport* device_transport(DeviceType type) { return transports.at(static_cast<std::size_t>(type)); }

}  // namespace loupe::distributed
