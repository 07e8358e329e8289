"""A client of both services with requests: submit, wait, fetch.

Usage: python3 services.py {mol_base_url} {base_url}
Submits one molecule and one sequence, and prints what came back as JSON.
"""

import json
import sys
import time

import requests


def wait(url, seconds=1):
    """The first answer that is not 202; a Retry-After is obeyed."""
    while True:
        answer = requests.get(url, timeout=30)
        if answer.status_code != 202:
            answer.raise_for_status()
            return answer.json()
        time.sleep(min(float(answer.headers.get("Retry-After", seconds)), seconds))


def submit(url, body):
    """The acknowledgement. 429 and 503 say when to come again, and nothing was accepted."""
    while True:
        answer = requests.post(url, json=body, timeout=30)
        if answer.status_code not in (429, 503):
            answer.raise_for_status()
            return answer.json()
        time.sleep(float(answer.headers.get("Retry-After", 5)))


def molecule(base, smiles):
    job = submit(
        f"{base}/api",
        {
            "inputFile": None,
            "file_name": "from Python",
            "token": "tokenof10c",
            "charge_method": "bcc",
            "net_charge": None,
            "atom_type": "gaff2",
            "email": None,
            "smiles": smiles,
        },
    )
    return wait(base + job["Location"])["results"][0]


def sequence(base, fasta, token="my-own-secret"):
    api = f"{base}/online_predictors/api"
    body = {"token": token, "predictor_type": "dynamine", "sequence": fasta}
    job = submit(f"{api}/submit/single-sequence/", body)
    return wait(f"{api}/results/{job['request_id']}/")


if __name__ == "__main__":
    molecules, predictions = sys.argv[1:]
    files = molecule(molecules, "CCO")
    proteins = sequence(predictions, ">one\nNLYIQWLKDGGPSSGRPPPS\n")["proteins"]
    print(json.dumps({"files": sorted(files), "proteins": sorted(proteins)}))
