"""Asks the account for what would let a deployment fail late, and says what to do.

Each check yields sentences. One that begins with `warning` does not stop the deployment, nor does a question that AWS refuses to
answer.
"""

import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError


def ask(call, absent, **arguments):
    """The answer, or None if AWS says with the code `absent` that this does not exist."""
    try:
        return call(**arguments)
    except ClientError as error:
        if error.response["Error"]["Code"] != absent:
            raise


def base_url(values, host, template, is_new):
    if values["Stage"] == "prod" and not host:
        yield "Stage prod needs BaseUrl, because the registry signs with this name. Add BaseUrl=https://<host> to PARAMETERS."
    if host and not values["CertificateArn"]:
        yield f"warning: without CertificateArn, a proxy of yours must answer for {host}; otherwise CanaryFails pages."


def functions(values, host, template, is_new):
    """In the mapping of Capacity, the columns in lower case are reservations."""
    account = boto3.client("lambda").get_account_settings()
    limits, capacity = account["AccountLimit"], values["Capacity"]
    row = next((rows[capacity] for rows in template["Mappings"].values() if capacity in rows), {})
    reserved = sum(number for column, number in row.items() if column.islower())
    if reserved and limits["ConcurrentExecutions"] < 1000:
        yield (
            f"Capacity={capacity} reserves {reserved} executions, but this account may run only {limits['ConcurrentExecutions']} "
            "at once. Deploy with Capacity=new, or request 1,000 in Service Quotas (AWS Lambda, Concurrent executions)."
        )
    elif reserved and is_new and limits["UnreservedConcurrentExecutions"] < reserved + 100:
        yield f"Capacity={capacity} reserves {reserved} executions, and Lambda keeps 100 unreserved. Request a higher limit."
    elif not reserved and limits["ConcurrentExecutions"] >= 1000:
        yield "warning: this account may run 1,000 executions at once. Capacity=small limits what a flood of slow requests can cost."
    if account["AccountUsage"]["TotalCodeSize"] > 0.9 * limits["TotalCodeSize"]:
        yield "The storage of Lambda for code is 90 percent full. Delete old versions of functions, or request more."


def certificates(values, host, template, is_new):
    for name, region in (("CertificateArn", boto3.client("acm").meta.region_name), ("CdnCertificateArn", "us-east-1")):
        arn = values[name]
        if not arn:
            continue
        if arn.split(":")[3:4] != [region]:
            yield f"{name} is not in {region}. Request a certificate there."
            continue
        acm = boto3.client("acm", region_name=region)
        found = (ask(acm.describe_certificate, "ResourceNotFoundException", CertificateArn=arn) or {}).get("Certificate")
        if not found:
            yield f"{name} does not exist. Request a certificate for {host} in {region}."
            continue
        if found["Status"] != "ISSUED":
            yield f"{name} is {found['Status']} and not ISSUED. Finish its validation, or request a new certificate."
        names = {found["DomainName"], *found.get("SubjectAlternativeNames", [])}
        if not names & {host, "*." + host.partition(".")[2]}:
            yield f"{name} is for {', '.join(sorted(names))}, and not for {host}, the host of BaseUrl. Request one for {host}."


def cdn(values, host, template, is_new):
    """No API says whether AWS has verified an account. One that has a distribution is verified."""
    if values["CdnCertificateArn"] and not boto3.client("cloudfront").list_distributions()["DistributionList"].get("Quantity"):
        yield (
            "warning: if AWS has not verified this account, CloudFront fails with `Your account must be verified`. "
            "Then deploy without CdnCertificateArn, ask AWS Support, and add it later."
        )


def secrets(values, host, template, is_new):
    manager, stripe = boto3.client("secretsmanager"), values["StripeSecrets"]
    for name in [*([f"{stripe}/key", f"{stripe}/webhook"] if stripe else []), values["SearchBackendSecret"]]:
        found = ask(manager.describe_secret, "ResourceNotFoundException", SecretId=name) if name else {}
        if found is None:
            yield f"The secret {name} does not exist: aws secretsmanager create-secret --name {name} --secret-string <value>"
        elif "DeletedDate" in found:
            yield f"The secret {name} is being deleted: aws secretsmanager restore-secret --secret-id {name}"


def table(values, host, template, is_new):
    """With a wrong name, everything is created and nothing works."""
    name = values["ExistingTable"]
    if name and not ask(boto3.client("dynamodb").describe_table, "ResourceNotFoundException", TableName=name):
        yield f"ExistingTable {name} does not exist in this region. `aws dynamodb list-tables` lists the tables."


def zone(values, host, template, is_new):
    identifier = values["HostedZoneId"]
    if not identifier:
        return
    found = ask(boto3.client("route53").get_hosted_zone, "NoSuchHostedZone", Id=identifier)
    name = found["HostedZone"]["Name"].rstrip(".") if found else None
    if not name:
        yield f"HostedZoneId {identifier} does not exist: aws route53 list-hosted-zones"
    elif not f".{host}".endswith(f".{name}") or found["HostedZone"].get("Config", {}).get("PrivateZone"):
        yield f"HostedZoneId {identifier} is {name}. Use the id of a public zone that contains {host}."


def keys(values, host, template, is_new):
    """No API lists the types of keys of a region."""
    if values["SigningKeys"] == "kms-all" and is_new:
        yield "warning: not every region has keys of the type ECC_NIST_EDWARDS25519. If they fail, deploy with SigningKeys=kms."


def finds_problems(values, template, is_new):
    """Prints what the checks find. Returns whether something must be fixed before the deployment."""
    found = []
    for check in (base_url, functions, certificates, cdn, secrets, table, zone, keys):
        try:
            found += check(values, values["BaseUrl"].removeprefix("https://"), template, is_new)
        except (BotoCoreError, ClientError) as error:
            found.append(f"warning: {check.__name__} could not be checked: {error}")
    problems = [sentence for sentence in found if not sentence.startswith("warning: ")]
    for sentence in found:
        print(f"error: {sentence}" if sentence in problems else sentence, file=sys.stderr)
    return bool(problems)
