// SPDX-License-Identifier: Apache-2.0
// A shared library that has nothing to do with Tensorloupe.

extern "C" int answer() { return 42; }
