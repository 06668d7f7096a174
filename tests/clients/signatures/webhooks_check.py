"""Verifies recorded messages to a webhook with standardwebhooks. Input: a file with the secret and the requests."""
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

recorded = json.load(open(sys.argv[1]))
webhook = Webhook(recorded["secret"])
results = []
for request in recorded["requests"]:
    try:
        webhook.verify(request["body"], dict(request["headers"]))
        results.append("valid")
    except WebhookVerificationError as error:
        results.append(f"refused: {error}")
print(json.dumps(results))
