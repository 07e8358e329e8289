"""fetch.py ID SEQUENCE FILE: runs one job of the prediction service, for the workflow languages."""
import json
import os
import sys
import time
import urllib.error
import urllib.request

API = os.environ["SERVICE"] + "/online_predictors/api"
TOKEN = os.environ["TOKEN"]


def call(path, body=None):
    headers = {"Content-Type": "application/json", "X-Service-Token": TOKEN}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read()


def submit(name, sequence):
    body = {"token": TOKEN, "job_name": name, "predictor_type": "dynamine", "sequence": sequence}
    while True:
        status, headers, answer = call("/submit/single-sequence/", body)
        if status == 429:
            time.sleep(int(headers["Retry-After"]))
        elif status == 409:  # The answer to an earlier attempt was lost with the process.
            jobs = json.loads(call("/past-results/single-sequence/")[2])
            return next(job["request_id"] for job in jobs if job["job_name"] == name)
        elif status == 200:
            return json.loads(answer)["request_id"]
        else:
            sys.exit(f"POST: {status}")


def main(name, sequence, path):
    job = submit(name, sequence)
    while True:
        status, headers, answer = call(f"/results/{job}/")
        if status == 200:
            break
        if status != 202:
            sys.exit(f"GET: {status}")
        time.sleep(int(headers["Retry-After"]))
    with open(path, "wb") as file:
        file.write(answer)


main(*sys.argv[1:])
