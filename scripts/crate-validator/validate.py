"""Validates a folder against a profile of roc-validator, without a network: prints the issues as JSON.

python validate.py CONTEXT.json.gz FOLDER PROFILE

The JSON-LD context that every crate names is given as a file. Any other address that is asked for is an issue.
"""

import gzip
import json
import sys

import requests
from requests.adapters import HTTPAdapter

CONTEXT_URL = "https://w3id.org/ro/crate/1.2/context"
context_file, folder, profile = sys.argv[1:]
with gzip.open(context_file) as file:
    context = file.read()
asked = []


def send(self, request, **_):
    if request.url != CONTEXT_URL:
        asked.append(request.url)
        raise requests.ConnectionError(f"there is no network: {request.url}")
    response = requests.Response()
    response.status_code = 200
    response.url = request.url
    response.request = request
    response.headers["Content-Type"] = "application/ld+json"
    response._content = context
    return response


HTTPAdapter.send = send

from rocrate_validator import services  # noqa: E402 (only now, that its requests end here)

result = services.validate(
    {
        "rocrate_uri": folder,
        "profile_identifier": profile,
        "requirement_severity": "RECOMMENDED",
        "no_cache": True,
    }
)
issues = [
    {"severity": issue.severity.name, "message": issue.message} for issue in result.get_issues()
]
json.dump({"issues": issues, "asked": asked}, sys.stdout, indent=1)
