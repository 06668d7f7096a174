"""Verifies recorded requests with http-message-signatures. Input: a file with the directory of keys and the requests."""
import base64
import json
import sys
from types import SimpleNamespace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms
from http_message_signatures.exceptions import HTTPMessageSignaturesException


class Directory(HTTPSignatureKeyResolver):
    def __init__(self, keys):
        self.keys = {key["kid"]: Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key["x"] + "=")) for key in keys}

    def resolve_public_key(self, key_id):
        return self.keys[key_id]


def main():
    recorded = json.load(open(sys.argv[1]))
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519,
                                   key_resolver=Directory(recorded["directory"]["keys"]))
    results = []
    for request in recorded["requests"]:
        message = SimpleNamespace(method=request["method"], url=request["url"], headers=dict(request["headers"]))
        try:
            [result] = verifier.verify(message, expect_tag="web-bot-auth")
            covered = set(result.covered_components)
            if not covered >= {'"@authority"', '"signature-agent";key="sig1"'}:
                raise HTTPMessageSignaturesException(f"covers only {covered}")
            results.append("valid")
        except (HTTPMessageSignaturesException, KeyError) as error:
            results.append(f"refused: {error!r}")
    print(json.dumps(results))


main()
