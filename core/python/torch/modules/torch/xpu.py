# SPDX-License-Identifier: Apache-2.0
from torch._absent_device import *
