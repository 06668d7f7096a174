"""Generates values for the formats that JSON Schema does not define. The registry accepts all generated values.

schemathesis loads this file (SCHEMATHESIS_HOOKS). SAMPLES names a JSON file with values that exist only in the running
registry: cursors of its lists and ids of its listings. Values that break a format are not generated.
"""
import json
import os
from datetime import datetime

import schemathesis
from hypothesis import strategies as st

with open(os.environ["SAMPLES"]) as file:
    SAMPLES = json.load(file)

WORD = st.sampled_from("weather forecast adds numbers reads papers quickly 2026 Zürich 東京 tide-tables ready".split())
WORDS = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
HEX = "0123456789abcdef"

# The key of RFC 7515 A.3, and one of Ed25519 in two forms.
P256 = {"x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAO2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik=\n-----END PUBLIC KEY-----'


def of(name, strategy):
    schemathesis.openapi.format(name, strategy)


def digits(prefix, count):
    return st.text(HEX, min_size=count, max_size=count).map(lambda text: prefix + text)


of("public-text", WORDS.map(lambda words: words[:40].strip()))
of("display-name", WORDS.map(lambda words: words[:40].strip()))
of("goals", st.lists(WORDS, max_size=4).map("\n".join))
of("secret-key", st.sampled_from(["f3a8c1d2-6b7e-4f90-a1b2-93c4d5e6f708", "7c9e6679-7425-40de-944b-e07fc1f90ae7"]))
of("uri", st.sampled_from(SAMPLES["urls"]))
of("category-id", st.sampled_from(["", "other", "data-analytics", "coding-engineering"]))
of("email", st.sampled_from(["owner@example.com", "a.b+c@agents.example.org"]))
of("time-or-day", st.sampled_from(["2026-11-20", "2026-11-20T12:00:00Z", "2030-01-01T00:00:00.5+01:00"]))
of("date-time", st.datetimes(min_value=datetime(1970, 1, 2)).map(lambda time: time.isoformat() + "Z"))
of("public-key-pem", st.just(PEM))
of("p256-x", st.just(P256["x"]))
of("p256-y", st.just(P256["y"]))
of("signature", digits("", 128))
of("session-id", digits("ses_", 32))
of("order-id", digits("ord_", 24))
of("server-name", st.sampled_from(["com.example.weather/forecast", "org.example.tides/tables", "io.github.someone/adder"]))
of("collection-name", st.sampled_from(["com.example.approved", "approved"]))
of("server-version", st.sampled_from(["1.0.0", "2.3.4-beta.1", "2026.11.20"]))
CONDITION = st.from_regex(
    r"(displayName|publisher|publisherId|type|mediaType|identifier|tags|capabilities|version|metadata\.[a-z_]{1,40})"
    r" = '[a-z0-9][a-z0-9 .,:/+-]{0,40}'|(created|updated)(After|At) > '20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-8])'",
    fullmatch=True)
of("ard-filter", st.lists(CONDITION, max_size=4).map(" AND ".join))
of("listing-id-of-another", st.sampled_from(SAMPLES["listing_ids"]))
of("listed-server-name", st.sampled_from([*SAMPLES["server_names"], "com.example.weather/forecast"]))
for name, cursors in SAMPLES["cursors"].items():
    of(name, st.sampled_from(cursors))


@schemathesis.hook
def before_add_examples(context, examples):
    """The registry refuses a published key, so an example with one gets a key of its own."""
    for example in examples:
        if isinstance(example.body, dict) and "idempotency_key" in example.body:
            example.body["idempotency_key"] = "f3a8c1d2-6b7e-4f90-a1b2-93c4d5e6f708"


def printable(value):
    if isinstance(value, str):
        return "".join(character for character in value if character.isprintable())
    if isinstance(value, list):
        return [printable(item) for item in value]
    if isinstance(value, dict):
        return {printable(name): printable(member) for name, member in value.items()}
    return value


CHECKED_BY_SCHEMA = {"name", "title", "description", "version", "websiteUrl", "proof", "server_json"}


@schemathesis.hook
def map_body(context, body):
    """Every text and name of a server description must be plain, which a schema cannot say of members that it does not know."""
    documents = [body, body.get("server_json")] if isinstance(body, dict) else []
    for document in documents:
        if isinstance(document, dict) and "version" in document:
            for name in document.keys() - CHECKED_BY_SCHEMA:
                document[printable(name)] = printable(document.pop(name))
    return body
