# SPDX-License-Identifier: Apache-2.0
from lightning.pytorch.loggers import *
