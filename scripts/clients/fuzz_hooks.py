"""Hooks of the schema fuzzer, loaded through SCHEMATHESIS_HOOKS (fuzz.ts)."""

import schemathesis


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """
    A form has no types: `true` is sent as the text "True", which is a valid text. The fuzzer still counts the field as
    a boolean, and reports that a body which the schema forbids was accepted.
    """
    is_form = case.media_type == "multipart/form-data" and isinstance(case.body, dict)
    accepted = type(failure).__name__ == "AcceptedNegativeData"
    return not (accepted and is_form and any(isinstance(value, (bool, int, float)) for value in case.body.values()))
