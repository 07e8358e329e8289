"""Prints which of four accepted bodies the fuzzer reports after its hook (scripts/clients/fuzz_hooks.py)."""

import json
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from fuzz_hooks import filter_failure

form = {"type": "object", "properties": {"token": {"type": "string"}}, "required": ["token"]}
post = {
    "requestBody": {"content": {"multipart/form-data": {"schema": form}, "application/json": {"schema": form}}},
    "responses": {"200": {"description": "accepted"}},
}
info = {"title": "a form", "version": "1"}
api = schemathesis.openapi.from_dict({"openapi": "3.1.0", "info": info, "paths": {"/form": {"post": post}}})


def is_reported(media_type, body):
    case = api["/form"]["POST"].Case(media_type=media_type, body=body)
    failure = AcceptedNegativeData(operation="POST /form", message="", status_code=200, expected_statuses=["400"])
    return filter_failure(None, failure, case, None)


form_type = "multipart/form-data"
cases = [(form_type, {"token": True}), (form_type, {}), (form_type, {"token": "a"}), ("application/json", {"token": True})]
print(json.dumps([is_reported(*one) for one in cases]))
