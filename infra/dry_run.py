"""Deploys the translated template to moto, a stand-in for AWS, with infra/deploy: dry_run.py TRANSLATED

It shows that a deployment asks nothing, that prod only creates a change set until EXECUTE=yes, and that CloudFormation resolves
each reference and condition of the resources that moto supports. The others are left out and printed, and references to them
are replaced by their names. moto does not check what AWS checks: rules, policies, the import of the API and most values.
"""

import io
import json
import logging
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import boto3
from moto.cloudformation.parsing import get_model_map
from moto.events.models import EventBus
from moto.server import ThreadedMotoServer
from moto.ssm.models import Parameter

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "target/infra/dry_run.json"

# What exists before a deployment with all options: a table, and the parameters of infra/template.yaml with spaces and
# semicolons, which need a file.
EXISTING_TABLE = "restored"
PARAMETERS = ROOT / "target/infra/parameters.yaml"
ALL_OPTIONS = {
    "BaseUrl": "https://registry.example.org",
    "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/x",
    "CdnCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/x",
    "ProxySecret": "registry/proxy",
    "RequestsPerAddress": "2000",
    "OperatorTokenSecret": "registry/operator",
    "StripeKeySecret": "registry/stripe",
    "StripeWebhookSecret": "registry/stripe-webhook",
    "SearchBackendSecret": "registry/search-backend",
    "AlarmEmail": "operator@example.org",
    "ExistingTable": EXISTING_TABLE,
    "Settings": "BRAND=A registry with spaces;SEARCH_BACKEND_URL=https://chroma.example.com",
    "ThrottleRate": "5000",
}


def without_unsupported(template):
    """The template with the resources that moto supports. A reference to another resource becomes its name, and a reference to
    the alias of a function becomes one to the function."""
    left_out = {name: r["Type"] for name, r in template["Resources"].items() if r["Type"] not in get_model_map()}
    functions = {
        name: r["Properties"]["FunctionName"]["Ref"]
        for name, r in template["Resources"].items()
        if r["Type"] == "AWS::Lambda::Alias" and name in left_out
    }

    def without_variable(found):
        name = found[1]
        return f"${{{functions[name]}.Arn}}" if name in functions else name if name in left_out else found[0]

    def resolve(value):
        if isinstance(value, list):
            return [resolve(item) for item in value]
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)(\.\w+)?\}", without_variable, value)
        if not isinstance(value, dict):
            return value
        target = value.get("Ref") or value.get("Fn::GetAtt")
        name = target[0] if isinstance(target, list) else target
        if len(value) == 1 and name in left_out:
            return {"Ref": functions[name]} if name in functions else name
        return {key: resolve(item) for key, item in value.items()}

    template["Resources"] = {name: r for name, r in template["Resources"].items() if name not in left_out}
    return resolve(template), left_out


def deploy(stack, stage, **variables):
    environment = os.environ | {"STACK": stack, "STAGE": stage, "TEMPLATE": str(TEMPLATE)} | variables
    # Without a terminal and input, a question would be an error.
    done = subprocess.run([ROOT / "infra/deploy"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def expect(condition, message):
    if not condition:
        sys.exit(f"dry run: {message}")


def prepare():
    """What `sam deploy` and the template need: the code of the functions, sam's own stack, and a table to adopt."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bootstrap", "")
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="bucket")
    s3.put_object(Bucket="bucket", Key="key.zip", Body=archive.getvalue())
    # sam creates this stack with a change set, of which moto forgets the tags.
    cloudformation.create_stack(
        StackName="aws-sam-cli-managed-default",
        TemplateBody=json.dumps({
            "Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}},
            "Outputs": {"SourceBucket": {"Value": {"Ref": "Bucket"}}},
        }),
        Tags=[{"Key": "ManagedStackSource", "Value": "AwsSamCli"}],
    )
    boto3.client("dynamodb").create_table(
        TableName=EXISTING_TABLE,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    PARAMETERS.write_text(json.dumps(ALL_OPTIONS))


def created(stack):
    resources = cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    # moto also returns an entry without a name for a resource whose condition is false.
    return {r["LogicalResourceId"]: r.get("PhysicalResourceId") for r in resources if r.get("LogicalResourceId")}


def variables(function):
    return boto3.client("lambda").get_function_configuration(FunctionName=function)["Environment"]["Variables"]


# Two references that CloudFormation resolves and moto does not.
Parameter.get_cfn_attribute = lambda parameter, _: parameter.value
EventBus.physical_resource_id = property(lambda bus: bus.name)
logging.getLogger("werkzeug").setLevel(logging.ERROR)
template, left_out = without_unsupported(json.loads(Path(sys.argv[1]).read_text()))
TEMPLATE.write_text(json.dumps(template))
server = ThreadedMotoServer(port=0)
server.start()
os.environ |= {
    "AWS_ACCESS_KEY_ID": "dry-run",
    "AWS_SECRET_ACCESS_KEY": "dry-run",
    "AWS_DEFAULT_REGION": "us-east-1",
    # moto takes a name before the first dot for a bucket, so not 127.0.0.1.
    "AWS_ENDPOINT_URL": f"http://localhost:{server.get_host_and_port()[1]}",
}
cloudformation = boto3.client("cloudformation")
prepare()

for wrong in ({"STACK": ""}, {"STAGE": "test"}, {"EXECUTE": "maybe"}, {"PARAMETERS": "Brand=My registry"}):
    code, output = deploy("wrong", "dev", **wrong)
    expect(code == 2 and "Deploying with" not in output, f"{wrong} is accepted:\n{output}")

code, output = deploy("dev", "dev")
expect(code == 0, output)
by_default = created("dev")
options = {"AlarmTopic", "MessageKey", "LogKey", "DomainRecords"}
expect(set(by_default) == set(template["Resources"]) - options, f"dev: {set(template['Resources']) ^ set(by_default)}")
expect(variables(by_default["TalkFunction"])["TABLE_NAME"] == by_default["Table"], "dev: TABLE_NAME")

options = f"file://{PARAMETERS}"
code, output = deploy("review", "prod", PARAMETERS=options)
expect(code == 0 and "Changeset created" in output, output)
[stack] = cloudformation.describe_stacks(StackName="review")["Stacks"]
expect(stack["StackStatus"] == "REVIEW_IN_PROGRESS", f"review: {stack['StackStatus']} without EXECUTE=yes")
# moto cannot execute a second change set of a new stack, so this is another stack.
code, output = deploy("prod", "prod", PARAMETERS=options, EXECUTE="yes")
expect(code == 0, output)
with_options = created("prod")
options = {"Table", "MessageKey", "LogKey", "DomainRecords"}
expect(set(with_options) == set(template["Resources"]) - options, f"prod: {set(template['Resources']) ^ set(with_options)}")
found = variables(with_options["TalkFunction"])
expected = {
    "TABLE_NAME": EXISTING_TABLE,
    "BASE_URL": ALL_OPTIONS["BaseUrl"],
    "SETTINGS": ALL_OPTIONS["Settings"],
    "PROXY_SECRET_FROM": ALL_OPTIONS["ProxySecret"],
    "PROXY_ADDRESS_HEADER": "cloudfront-viewer-address",
    "PROXY_REQUIRED": "on",
}
expect(expected.items() <= found.items(), f"prod: {found}")

server.stop()
print(f"Created {len(by_default)} resources by default and {len(with_options)} with all options.")
print("Left out, because moto has no CloudFormation support for the type:")
for kind, count in sorted(Counter(left_out.values()).items()):
    print(f"{count:5}  {kind}")
