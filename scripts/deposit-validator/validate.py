"""Validates what hundredfold deposit wrote, with the packages of others: prints the problems as a JSON list.

python validate.py BAG CITATION.cff datacite.json
"""

import json
import sys

import bagit
from cffconvert import Citation
from datacite import schema45

bag, citation, datacite = sys.argv[1:]
problems = []


def check(what, work):
    try:
        work()
    except Exception as error:
        problems.append(f"{what}: {type(error).__name__}: {str(error)[:500]}")


with open(citation, encoding="utf-8") as file:
    text = file.read()
check("bag", lambda: bagit.Bag(bag).validate())
check("CITATION.cff", lambda: Citation(text).validate())
with open(datacite, encoding="utf-8") as file:
    metadata = json.load(file)
# Its own validate() answers yes or no.
check("datacite.json", lambda: schema45.validator.validate(metadata))
json.dump(problems, sys.stdout)
