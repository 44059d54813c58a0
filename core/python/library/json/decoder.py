# SPDX-License-Identifier: Apache-2.0
from json import JSONDecodeError
