// SPDX-License-Identifier: Apache-2.0
// Nothing: the target that it belongs to makes precompiled headers.
