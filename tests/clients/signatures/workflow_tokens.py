"""Makes tokens like those of GitHub Actions with PyJWT. Input: the issuer and the audience. Output: the keys and the cases."""
import json
import sys
import time
import uuid

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

issuer, audience = sys.argv[1:]
own, foreign = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
now = int(time.time())


def token(key=own, owner_id="77", **other):
    claims = {"iss": issuer, "aud": audience, "iat": now, "nbf": now - 5, "exp": now + 300, "jti": str(uuid.uuid4()),
              "sub": "repo:acme/tools:ref:refs/heads/main", "repository": "acme/tools", "repository_owner": "acme",
              "repository_owner_id": owner_id, **other}
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "own"})


good = token()
jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(own.public_key()))
print(json.dumps({
    "keys": {"keys": [{**jwk, "kid": "own", "use": "sig", "alg": "RS256"}]},
    "cases": [
        ["new", good, "github"],
        ["used", good, "used_token"],
        ["of another account", token(owner_id="88"), "other_owner"],
        ["for another audience", token(aud="https://other.example"), "wrong_audience"],
        ["expired", token(iat=now - 600, exp=now - 300), "expired_token"],
        ["of another key", token(key=foreign), "wrong_signature"],
    ],
}))
