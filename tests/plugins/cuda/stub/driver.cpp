// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 as CUDA's runtime asks for it at start: which CUDA it knows, and whether there is a device.
// LOUPE_STUB_DRIVER is its version, LOUPE_STUB_STATUS what cuInit() says.

#include <cstdlib>
#include <cstring>

namespace {

int number(const char* name, int fallback) {
    const char* const set = std::getenv(name);
    return set == nullptr ? fallback : std::atoi(set);
}
constexpr int kNotFound = 500;
int not_there() { return kNotFound; }

}  // namespace

extern "C" {

int cuInit(unsigned) { return number("LOUPE_STUB_STATUS", 0); }
int cuDriverGetVersion(int* version) {
    *version = number("LOUPE_STUB_DRIVER", 13000);
    return 0;
}
int cuGetExportTable(const void**, const void*) { return kNotFound; }
int cuGetProcAddress_v2(const char* symbol, void** found, int, unsigned long long, int* status) {
    const auto is = [symbol](const char* name) { return std::strcmp(symbol, name) == 0; };
    if (status != nullptr) *status = 0;
    if (is("cuInit"))
        *found = reinterpret_cast<void*>(&cuInit);
    else if (is("cuDriverGetVersion"))
        *found = reinterpret_cast<void*>(&cuDriverGetVersion);
    else if (is("cuGetExportTable"))
        *found = reinterpret_cast<void*>(&cuGetExportTable);
    else if (is("cuGetProcAddress"))
        *found = reinterpret_cast<void*>(&cuGetProcAddress_v2);
    else
        *found = reinterpret_cast<void*>(&not_there);
    return 0;
}
int cuGetProcAddress(const char* symbol, void** found, int version, unsigned long long flags) {
    return cuGetProcAddress_v2(symbol, found, version, flags, nullptr);
}

}  // extern "C"
