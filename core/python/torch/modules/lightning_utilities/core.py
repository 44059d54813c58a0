# SPDX-License-Identifier: Apache-2.0
from lightning_utilities.core.apply_func import apply_to_collection
