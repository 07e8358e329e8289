"""execute.py NOTEBOOK: executes all cells and prints what each code cell showed, as JSON by the id of the cell."""

import json
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()


def text(output):
    if output.output_type == "stream":
        return output.text
    return output.get("data", {}).get("text/plain", "")


cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
print(json.dumps({cell.id: "".join(map(text, cell.outputs)) for cell in cells}))
