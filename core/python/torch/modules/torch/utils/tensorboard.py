# SPDX-License-Identifier: Apache-2.0
# Scalars and histograms go to the curves of the Train panel, and stay in the writer by their tag. No event files are made.
import torch
from _native import report_curve


def report_scalar(tag, value, step):
    """Under a tag, at a step; None: after the last one."""
    report_curve(tag, [float(value)], step)


class SummaryWriter:
    def __init__(self, log_dir=None, comment='', purge_step=None, max_queue=10, flush_secs=120, filename_suffix=''):
        self.log_dir = log_dir or 'runs'
        self.scalars = {}     # tag: [(step, value)]
        self.histograms = {}  # tag: [(step, minimum, maximum, mean, count)]

    def get_logdir(self):
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        value = float(scalar_value)
        self.scalars.setdefault(tag, []).append((global_step, value))
        report_scalar(tag, value, global_step)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        for tag, value in tag_scalar_dict.items():
            self.add_scalar(main_tag + '/' + tag, value, global_step)

    def add_histogram(self, tag, values, global_step=None, bins='tensorflow', walltime=None, max_bins=None):
        values = torch.as_tensor(values).detach().float()
        found = (values.min().item(), values.max().item(), values.mean().item())
        self.histograms.setdefault(tag, []).append((global_step,) + found + (values.numel(),))
        report_curve(tag, list(found), global_step)

    def _pass(self, *args, **kwargs):
        pass

    add_image = add_images = add_image_with_boxes = add_figure = add_video = add_audio = add_text = add_graph = add_embedding = _pass
    add_pr_curve = add_mesh = add_hparams = add_custom_scalars = add_tensor = add_onnx_graph = flush = close = _pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


FileWriter = SummaryWriter
