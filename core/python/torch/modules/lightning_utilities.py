# SPDX-License-Identifier: Apache-2.0
from lightning_utilities.core import apply_to_collection
from lightning_utilities.core.imports import RequirementCache, compare_version, module_available
