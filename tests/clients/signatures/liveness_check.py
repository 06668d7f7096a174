"""Verifies proofs of liveness, with the example in the document (PyJWT) or with joserfc. Input: the folder of the cases."""
import json
import sys
from pathlib import Path
from urllib.request import urlopen

from joserfc import jwt
from joserfc.jwk import KeySet


def with_joserfc(url, registry, endpoint):
    token = urlopen(url, timeout=10).read().decode()
    keys = KeySet.import_key_set(json.load(urlopen(f"{registry}/.well-known/jwks.json", timeout=10)))
    proof = jwt.decode(token, keys, algorithms=["ES256"])
    jwt.JWTClaimsRegistry(iss={"essential": True, "value": registry}, exp={"essential": True}).validate(proof.claims)
    return proof.header["typ"] == "liveness+jwt" and proof.claims["liveness"]["endpoint"] == endpoint


folder = Path(sys.argv[1])
if sys.argv[2] == "example":
    sys.path.insert(0, str(folder))
    from liveness_example import is_live
else:
    is_live = with_joserfc
results = []
for case in json.loads((folder / "cases.json").read_text()):
    try:
        results.append(is_live(*case))
    except Exception as error:  # each library has its own errors
        print(repr(error), file=sys.stderr)
        results.append(False)
print(json.dumps(results))
