"""Campaigns of hundredfold from Python: submit, watch, and read the results with pandas.

Copy this file beside your program. It needs the command `hundredfold`, pandas and pyarrow:

    from hundredfold import Hundredfold

    client = Hundredfold()
    batch = client.submit("night.csv")        # or a DataFrame, with name="night"
    batch = client.watch(batch)               # until the campaign ends
    residues = batch.table("residues")        # all results of a kind, with your own columns
    batch.download_files("elsewhere")         # a copy of the output tree

The campaign runs in the background and survives the end of this program: `client.find("night")` gets it again.
As a program: python hundredfold.py night.csv [--services synthetic]
"""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd

# Exit codes with a document on stdout: succeeded, ended with failed or held items, cancelled.
ENDED = (0, 3, 4)


class HundredfoldError(Exception):
    """An error of the command: `code` for programs, the message and the remedy for people."""

    def __init__(self, code, message, remedy=""):
        super().__init__(f"{message} {remedy}".strip())
        self.code = code
        self.remedy = remedy


class ManifestRefusedError(HundredfoldError):
    """Nothing was submitted: `problems` says what is wrong with which row."""

    def __init__(self, problems):
        self.problems = pd.DataFrame(problems)
        super().__init__("MANIFEST_REFUSED", f"The manifest has {len(problems)} problems.")


class Hundredfold:
    """The command line, as used in one folder.

    folder: where campaigns run; hundredfold.yaml is read here, and paths are relative to it
    services: "local" or "synthetic" for a rehearsal; None for the services of hundredfold.yaml
    command: how the program is called, e.g. ["npx", "hundredfold"]
    """

    def __init__(self, folder=".", services=None, command=("hundredfold",)):
        self.folder = Path(folder)
        self.services = services
        self.command = list(command)

    def plan(self, manifest, name=None):
        """What a run would submit, and when it would end; submits nothing."""
        return self._run(["plan", *self._manifest(manifest, name)])

    def submit(self, manifest, name=None, skip_invalid=False):
        """Starts a campaign in the background, or resumes it: nothing is ever submitted twice.

        manifest: path of a table, or a DataFrame, which is written to NAME.csv
        """
        words = ["run", *self._manifest(manifest, name), "--detach", "--yes"]
        if skip_invalid:
            words.append("--skip-invalid")
        return Batch(self, self._run(words))

    def find(self, name):
        """A campaign that was submitted before, from any folder."""
        return Batch(self, self._run(["status", name]))

    def watch(self, batch):
        """Waits until the campaign has ended; progress is printed on stderr."""
        batch.summary = self._run(["watch", batch.name])
        return batch

    def _manifest(self, manifest, name):
        if isinstance(manifest, pd.DataFrame):
            if name is None:
                raise ValueError("A DataFrame needs a name for its campaign.")
            path = f"{name}.csv"
            manifest.to_csv(self.folder / path, index=False)
            manifest = path
        words = [str(manifest)]
        if name is not None:
            words += ["--name", name]
        if self.services is not None:
            words += ["--services", self.services]
        return words

    def _run(self, words, has_document=True):
        # stderr is not captured: notes and progress are shown while the command runs.
        typed = [*self.command, *words, *(["--json"] if has_document else [])]
        done = subprocess.run(typed, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        if done.returncode == 130:
            raise KeyboardInterrupt
        document = json.loads(done.stdout) if done.stdout.strip() and has_document else {}
        if "error" in document:
            raise HundredfoldError(**document["error"])
        if done.returncode == 2 and "problems" in document and words[0] == "run":
            raise ManifestRefusedError(document["problems"])
        # The exit code of a plan says that rows would be refused; its document lists them.
        if done.returncode not in ENDED and words[0] != "plan":
            raise HundredfoldError("USAGE", f"{' '.join(typed)} ended with {done.returncode}.")
        return document


class Batch:
    """One campaign: its counts, its items and its results."""

    def __init__(self, client, summary):
        self.client = client
        self.summary = summary

    @property
    def name(self):
        return self.summary["campaign"]

    @property
    def out(self):
        """Folder or s3:// address of the output tree."""
        return self.summary["out"]

    @property
    def counts(self):
        """Number of items in each final state, and their total."""
        return self.summary["items"]

    def __len__(self):
        return self.counts["total"]

    def __repr__(self):
        return f"Batch({self.name}: {self.summary['state']}, {self.counts['succeeded']} of {len(self)} succeeded)"

    def reload(self):
        """Reads counts and state again."""
        self.summary = self.client._run(["status", self.name])
        return self

    def complete(self):
        return self.summary["state"] in ("completed", "cancelled")

    def items(self):
        """One row per item: state, job, error, path; also while the campaign runs."""
        return pd.DataFrame(self.client._run(["items", self.name])["items"])

    def succeeded(self):
        return self.items().query("state == 'succeeded'")

    def failed(self):
        """Items that failed or are held, with code and message."""
        return self.items().query("state in ['failed', 'held']")

    def table(self, name):
        """All results of a kind, once the campaign has ended: molecules, residues, alignments, shifts."""
        return pd.read_parquet(f"{self.out}/tables/{name}.parquet")

    def download_files(self, folder):
        """Copies the output tree into a folder; needed if it is in a bucket."""
        copy = self.client._run(["pull", self.name, "--out", str(Path(folder).absolute())])
        return Path(copy["to"])

    def retry(self):
        """Runs failed, held and cancelled items again."""
        self.client._run(["retry", self.name, "--detach"])
        return self.reload()

    def pause(self):
        self.client._run(["pause", self.name], has_document=False)

    def resume(self):
        self.client._run(["resume", self.name], has_document=False)

    def cancel(self):
        self.client._run(["cancel", self.name], has_document=False)


def main(manifest, option=None, services=None):
    client = Hundredfold(services=services if option == "--services" else None)
    batch = client.watch(client.submit(manifest))
    print(batch)
    print(batch.items()[["id", "state", "code"]].to_string(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
