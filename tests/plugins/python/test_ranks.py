# SPDX-License-Identifier: Apache-2.0
"""Ranks of torch.distributed, recorded: what they write of collectives, and what the command line finds in them."""

import os
import subprocess
import sys
import tempfile
import unittest

from recordings import HERE, INPUTS, OUTPUTS, Recording

import torch.distributed as dist

WORLD = 2


def run(folder, fault):
    """The recordings of all ranks."""
    common = dict(os.environ, WORLD_SIZE=str(WORLD), LOCAL_RANK="0", OMP_NUM_THREADS="1")
    command = [sys.executable, os.path.join(HERE, "distributed_step.py"), folder, fault]
    errors = subprocess.DEVNULL if fault == "skip" else None
    ranks = [
        subprocess.Popen(command, stderr=errors, env=dict(common, RANK=str(rank), LOCAL_RANK=str(rank)))
        for rank in range(WORLD)
    ]
    for rank in ranks:
        status = rank.wait(timeout=200)
        # Gloo says so when the other one has gone.
        assert status == 0 or fault == "skip"
    names = [f"{fault}.loupe"] + [f"{fault}.rank{rank}.loupe" for rank in range(1, WORLD)]
    return [os.path.join(folder, name) for name in names]


def found_in(path):
    cli = os.environ.get("LOUPE_CLI")
    if not cli:
        raise unittest.SkipTest("no command line")
    result = subprocess.run([cli, "ranks", path], stdout=subprocess.PIPE, text=True)
    return result.returncode, result.stdout


@unittest.skipUnless(dist.is_available() and dist.is_gloo_available(), "no gloo")
class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_rows(self):
        files = run(self.folder.name, "none")
        ranks = [Recording(file) for file in files]
        names = {each.json["rank"]["program"] for each in ranks}
        self.assertEqual(len(names), 1)
        for number, each in enumerate(ranks):
            facts = each.json["rank"]
            self.assertEqual((facts["rank"], facts["world_size"], facts["local_rank"]), (number, WORLD, number))
            rows = each.json["collectives"]
            self.assertEqual([row["sequence"] for row in rows], list(range(1, len(rows) + 1)))
            self.assertEqual([row["index"] for row in rows], list(range(len(rows))))
            operations = [row["operation"] for row in rows]
            self.assertIn("broadcast", operations)
            self.assertIn("all_reduce", operations)
            for row in rows:
                self.assertEqual(row["ranks"], list(range(WORLD)))
                self.assertEqual(row["file"].rpartition("/")[2], "distributed_step.py")
                self.assertGreaterEqual(row["completed"], row["launched"])
                self.assertEqual(row["reduction"], "SUM" if row["operation"] == "all_reduce" else "")
                event = each.events[row["event"] - 1]
                # What it leaves is another value than what it was given.
                self.assertEqual(len(event[OUTPUTS]), 1)
                self.assertNotIn(event[OUTPUTS][0], event[INPUTS])
        # What all_reduce leaves is the same everywhere; what it is given is not.
        for row, other in zip(ranks[0].json["collectives"], ranks[1].json["collectives"]):
            if row["operation"] != "all_reduce":
                continue
            values = [each.value(each.events[r["event"] - 1][OUTPUTS][0])[10] for each, r in zip(ranks, (row, other))]
            self.assertEqual(values[0], values[1])
            given = [each.value(each.events[r["event"] - 1][INPUTS][0])[10] for each, r in zip(ranks, (row, other))]
            self.assertNotEqual(given[0], given[1])
        status, said = found_in(files[0])
        self.assertEqual(status, 0, said)
        self.assertIn("collectives match, and nothing differs", said)

    def test_another_learning_rate(self):
        status, said = found_in(run(self.folder.name, "lr")[0])
        self.assertEqual(status, 1)
        self.assertRegex(said, r"First difference: parameter module\.\S+ differs")
        self.assertRegex(said, r"the arguments differ: alpha=-0\.[12] on rank \d, alpha=-0\.[12] on rank \d")

    def test_a_nan(self):
        status, said = found_in(run(self.folder.name, "nan")[1])
        self.assertEqual(status, 1)
        self.assertRegex(said, r"NaN or Inf: rank 1 brings NaN or Inf into all_reduce #\d+")
        self.assertNotIn("First mismatch", said)

    def test_a_collective_that_is_left_out(self):
        status, said = found_in(run(self.folder.name, "skip")[0])
        self.assertEqual(status, 1)
        self.assertRegex(said, r"First mismatch: all_reduce #\d+ of rank 0 \(distributed_step\.py:\d+\) is missing on rank 1")


if __name__ == "__main__":
    unittest.main()
