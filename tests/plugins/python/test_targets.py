# SPDX-License-Identifier: Apache-2.0
"""Where recordings are written: paths, processes, full disks; and what python -m tensorloupe says."""

import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest

from recordings import PACKAGE, Recording, check_opens

import torch

import tensorloupe
from tensorloupe import _archive


class Folder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = os.path.realpath(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def files(self):
        return sorted(os.listdir(self.folder))


class Targets(Folder):
    def test_a_relative_path_is_of_the_folder_that_it_began_in(self):
        before = os.getcwd()
        os.mkdir(self.path("elsewhere"))
        os.chdir(self.folder)
        try:
            with tensorloupe.record(None, "run.loupe") as recording:
                os.chdir("elsewhere")
                torch.ones(2)
        finally:
            os.chdir(before)
        self.assertEqual(recording.path, self.path("run.loupe"))
        self.assertEqual(self.files(), ["elsewhere", "run.loupe"])

    def test_a_link_stays_one(self):
        os.symlink("real.loupe", self.path("link.loupe"))
        with tensorloupe.record(None, self.path("link.loupe")):
            torch.ones(2)
        self.assertTrue(os.path.islink(self.path("link.loupe")))
        Recording(self.path("real.loupe"))

    def test_what_is_no_file_is_refused_before_the_program_runs(self):
        os.mkfifo(self.path("pipe"))
        os.mkdir(self.path("folder"))
        os.symlink("/dev/full", self.path("device"))
        for name in ("pipe", "folder", "device", "none/run.loupe"):
            with self.assertRaises(OSError) as found:
                with tensorloupe.record(None, self.path(name)):
                    self.fail("it ran")
            self.assertNotIn("\n", str(found.exception))
        self.assertEqual(torch._C._len_torch_dispatch_stack(), 0)

    def failing(self, error, work=lambda: torch.ones(2)):
        """Records where finish() fails as on a full disk."""

        def full(*_):
            raise error

        kept, _archive.os.replace = os.replace, full
        try:
            with tensorloupe.record(None, self.path("run.loupe")) as recording:
                work()
        finally:
            _archive.os.replace = kept
        return recording

    def test_nothing_partial_stays(self):
        recording = self.failing(OSError(28, "No space left on device"))
        self.assertIn("No space left", str(recording.error))
        self.assertEqual(self.files(), [])
        with self.assertRaises(KeyboardInterrupt):
            self.failing(KeyboardInterrupt())
        self.assertEqual(self.files(), [])

    def test_the_programs_error_is_the_one_that_goes_on(self):
        def work():
            raise ValueError("its own")

        with self.assertRaisesRegex(ValueError, "its own"):
            self.failing(OSError(28, "No space left on device"), work)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk(self):
        """Also the ZIP's own end cannot be written then."""
        kept = _archive._new_file
        _archive._new_file = lambda path: (kept(path).close(), open("/dev/full", "w+b", buffering=0))[1]
        try:
            with tensorloupe.record(None, self.path("run.loupe")) as recording:
                torch.ones(2)
        finally:
            _archive._new_file = kept
        self.assertIsInstance(recording.error, OSError)
        self.assertEqual(self.files(), [])

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_process_has_a_file_of_its_own(self):
        with tensorloupe.record(None, self.path("run.loupe")):
            x = torch.ones(2) * 2
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                x = x.exp()
            else:
                x = x.sin()
        if child == 0:
            os._exit(0)
        self.assertEqual(self.files(), ["run.loupe", f"run.process{child}.loupe"])
        ops = Recording(self.path("run.loupe")).ops
        self.assertIn("aten::exp", ops)
        self.assertNotIn("aten::sin", ops)
        self.assertIn("aten::sin", Recording(self.path(f"run.process{child}.loupe")).ops)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_workers_are_not_recorded(self):
        """They never come to its end, and would fill their memory with it."""
        pipe, end = multiprocessing.Pipe(False)

        def work():
            torch.ones(2).mul(2)
            end.send((recording._recorder.has_ended, len(recording._recorder.events)))

        with tensorloupe.record(None, self.path("run.loupe")) as recording:
            torch.ones(2)
            worker = multiprocessing.get_context("fork").Process(target=work)
            worker.start()
            worker.join()
            torch.ones(2)
        self.assertEqual(pipe.recv(), (True, 1))
        self.assertEqual(len(Recording(self.path("run.loupe")).events), 2)
        self.assertEqual(self.files(), ["run.loupe"])

    def test_ranks_have_files_of_their_own(self):
        """Two processes of torch.distributed, with DistributedDataParallel over gloo."""
        if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
            self.skipTest("no gloo")
        script = self.path("ranks.py")
        with open(script, "w") as file:
            file.write(
                "import os, sys, torch, tensorloupe\n"
                "rank = int(sys.argv[1])\n"
                "torch.manual_seed(rank)\n"
                "torch.distributed.init_process_group('gloo', init_method='file://' + sys.argv[2] + '/meet',\n"
                "    rank=rank, world_size=2)\n"
                "net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))\n"
                "def step():\n"
                "    net.zero_grad()\n"
                "    net(torch.full((2, 3), 1.0 + rank)).sum().backward()\n"
                "    return [p.grad.tolist() for p in net.parameters()]\n"
                "plain = step()\n"
                "with tensorloupe.record(net, sys.argv[2] + '/run.loupe'):\n"
                "    recorded = step()\n"
                "assert plain == recorded, (plain, recorded)\n"
                "assert plain == step()\n"
                "torch.distributed.destroy_process_group()\n"
            )
        environment = dict(os.environ, PYTHONPATH=PACKAGE, GLOO_SOCKET_IFNAME="lo")
        ranks = [
            subprocess.Popen(
                [sys.executable, script, str(rank), self.folder], env=environment, stderr=subprocess.PIPE, text=True
            )
            for rank in range(2)
        ]
        said = [each.communicate(timeout=120)[1] for each in ranks]
        self.assertEqual([each.returncode for each in ranks], [0, 0], said)
        for name in ("run.loupe", "run.rank1.loupe"):
            run = Recording(self.path(name))
            check_opens(self.path(name))
            self.assertIn("module", run.scopes)
            self.assertIn("grad of module.weight", {value[1] for value in run.values})


class Command(Folder):
    """python -m tensorloupe"""

    def run_script(self, text, *options, flags=()):
        with open(self.path("work.py"), "w") as file:
            file.write(text)
        command = [sys.executable, *flags, "-m", "tensorloupe", *options, "work.py"]
        environment = dict(os.environ, PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def test_what_cannot_be_written_is_one_line(self):
        for output in (".", "none/run.loupe"):
            done = self.run_script("raise SystemExit('it ran')", "-o", output)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("tensorloupe.record: "), done.stderr)

    def test_recorded_is_said_of_what_is(self):
        text = "import os, torch\ntorch.ones(2)\nos.chdir('..')\n"
        done = self.run_script(text)
        self.assertEqual(done.stderr, f"recorded in {self.path('work.loupe')}\n")
        self.assertEqual([each["name"] for each in Recording(self.path("work.loupe")).json["model"]["sources"]], ["work.py"])
        os.remove(self.path("work.loupe"))
        text = "import os, torch\ntorch.ones(2)\nos.mkdir('work.loupe')\n"
        done = self.run_script(text)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("is not written", done.stderr)
        self.assertEqual(self.files(), ["work.loupe", "work.py"])

    def test_warnings_as_errors(self):
        text = (
            "import torch\n"
            "net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())\n"
            "y = net(torch.ones(2, 3))\n"
            "y.sum().backward()\n"
            "torch.ones(3, dtype=torch.complex64).conj().abs()\n"
        )
        done = self.run_script(text, flags=("-W", "error::UserWarning"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Recording(self.path("work.loupe")).notes, [])


if __name__ == "__main__":
    unittest.main()
