# SPDX-License-Identifier: Apache-2.0
from logging import FileHandler, StreamHandler
