"""Deploys infra/template.yaml with infra/deploy to moto, a stand-in for AWS.

It shows that a deployment asks nothing, that wrong inputs and problems of the account are refused, that a reviewed change set is
executed as it was reviewed, and that CloudFormation resolves each reference and condition of the resources that moto supports. The
others are left out and printed, and references to them are replaced by their names. moto does not check what AWS checks: rights,
rules, most values and the import of the API. It does not wait for alarms, and another update does not make a change set obsolete.
"""

import datetime
import hashlib
import json
import logging
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import boto3
from moto.acm.models import acm_backends
from moto.awslambda import urls
from moto.awslambda.responses import LambdaResponse
from moto.cloudformation.models import CloudFormationBackend, Event
from moto.cloudformation.parsing import get_model_map
from moto.cloudformation.responses import CloudFormationResponse
from moto.core.common_models import CloudFormationModel
from moto.core.exceptions import JsonRESTError
from moto.events.models import EventBus
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer
from moto.ssm.models import Parameter
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).resolve().parent.parent
# A copy of the template, with code for its functions as after `make build`, and parameters with spaces, which need a file.
WORK = ROOT / "target/infra/dry-run"
TEMPLATE = WORK / "infra/template.yaml"
OPTIONS = WORK / "options.yaml"
ACCOUNT = "123456789012"

# The limits of the account for Lambda; nobody may ask for them if there are none.
LIMITS = {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000, "TotalCodeSize": 80_000_000_000}

left_out = Counter()
supported = set()
rollbacks = []
create_change_set = CloudFormationBackend.create_change_set
execute_change_set = CloudFormationBackend.execute_change_set
answer_create_change_set = CloudFormationResponse.create_change_set


class Alarm(CloudFormationModel):
    """moto has alarms, but not in CloudFormation."""

    __module__ = "moto.cloudwatch.models"
    cloudformation_type = staticmethod(lambda: "AWS::CloudWatch::Alarm")
    update_from_cloudformation_json = classmethod(lambda cls, original_resource, **_: original_resource)

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, *_, **__):
        alarm = cls()
        alarm.physical_resource_id = resource_name
        return alarm


def for_moto(template):
    """The template with the resources that moto supports. A reference to another resource becomes its name, and a reference to
    the alias of a function becomes one to the function."""
    missing = {name: r["Type"] for name, r in template["Resources"].items() if r["Type"] not in get_model_map()}
    functions = {
        name: r["Properties"]["FunctionName"]["Ref"]
        for name, r in template["Resources"].items()
        if r["Type"] == "AWS::Lambda::Alias" and name in missing
    }

    def without_variable(found):
        name = found[1]
        return f"${{{functions[name]}.Arn}}" if name in functions else name if name in missing else found[0]

    def resolve(value):
        if isinstance(value, list):
            return [resolve(item) for item in value]
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)(\.\w+)?\}", without_variable, value)
        if not isinstance(value, dict):
            return value
        target = value.get("Ref") or value.get("Fn::GetAtt")
        name = target[0] if isinstance(target, list) else target
        if len(value) == 1 and name in missing:
            return {"Fn::GetAtt": [functions[name], "Arn"]} if name in functions else name
        return {key: resolve(item) for key, item in value.items()}

    left_out.clear()
    left_out.update(missing.values())
    supported.clear()
    supported.update(set(template["Resources"]) - set(missing))
    template["Resources"] = {name: template["Resources"][name] for name in sorted(supported)}
    for key in (r for r in template["Resources"].values() if r["Type"] == "AWS::KMS::Key"):
        key["Properties"].setdefault("KeyPolicy", {})
    return resolve(template)


def translate_first(backend, template, **others):
    """moto does not know the macro of SAM."""
    parsed = json.loads(template) if template.startswith("{") else yaml_parse(template)
    if "Transform" in parsed:
        parsed = Translator(managed_policy_map={}, sam_parser=Parser()).translate(parsed, others["parameters"])
    return create_change_set(backend, template=json.dumps(for_moto(parsed)), **others)


def show_outputs(backend, change_set_name, stack_name=None):
    """moto forgets the outputs of a stack that a change set made, and the defaults of its parameters."""
    execute_change_set(backend, change_set_name, stack_name)
    stack = backend.get_stack(stack_name)
    stack._parse_template()
    stack.output_map, stack.parameters = stack._create_output_map(), stack.stack_parameters


def fail_once(backend, change_set_name, stack_name=None):
    """A first deployment that fails."""
    CloudFormationBackend.execute_change_set = show_outputs
    stack = backend.get_stack(stack_name)
    stack.status = "ROLLBACK_COMPLETE"
    for name, identifier, state, reason in (
        ("Table", "t", "CREATE_FAILED", "Subscriber limit exceeded"),
        ("Logs", "l", "CREATE_FAILED", "Resource creation cancelled"),
        (stack_name, stack.stack_id, stack.status, None),
    ):
        stack.events.append(Event(stack.stack_id, stack_name, name, identifier, "AWS::A::B", state, reason, None))


def remember_rollback(response):
    rollbacks.append(response._get_param("RollbackConfiguration"))
    return answer_create_change_set(response)


def account_settings(_):
    if not LIMITS:
        raise JsonRESTError("AccessDeniedException", "not authorized to perform: lambda:GetAccountSettings")
    return json.dumps({"AccountLimit": LIMITS, "AccountUsage": {"TotalCodeSize": 1000}})


def run(command, **variables):
    # Without a terminal and input, a question would be an error.
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def deploy(stack, stage, **variables):
    return run(["infra/deploy"], STACK=stack, STAGE=stage, TEMPLATE=str(TEMPLATE), **variables)


def expect(condition, message):
    if not condition:
        sys.exit(f"dry run: {message}")


def succeeds(stack, stage, **variables):
    code, output = deploy(stack, stage, **variables)
    expect(code == 0, f"{stack}: {output}")
    return output


def is_refused(reason, stack, stage, **variables):
    """Refused for this reason, and no change set is made."""
    before = change_sets()
    code, output = deploy(stack, stage, **variables)
    expect(code != 0 and reason in output, f"{stack} {stage} {variables} is not refused with {reason!r}:\n{output}")
    expect(change_sets() == before, f"{reason}: a change set was made")


def change_sets():
    return len(cloudformation.list_change_sets(StackName="all")["Summaries"])


def bootstrap(stack, stage):
    code, output = run(
        ["target/venv/bin/sam", "deploy", "--template-file", "infra/bootstrap.yaml", "--stack-name", f"{stack}-bootstrap"]
        + ["--capabilities", "CAPABILITY_IAM", "--parameter-overrides", f"StackName={stack}", f"Stage={stage}"]
        + ["Repository=owner/name", "AlarmEmail=me@example.com"]
    )
    expect(code == 0, output)
    expect({"Artifacts", "DeployRole", "PlanRole", "ExecuteRole"} <= set(created(f"{stack}-bootstrap")), "bootstrap.yaml")


def created(stack):
    resources = cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    # moto also returns an entry without a name for a resource whose condition is false.
    return {r["LogicalResourceId"]: r.get("PhysicalResourceId") for r in resources if r.get("LogicalResourceId")}


def variables(function):
    return functions.get_function_configuration(FunctionName=function)["Environment"]["Variables"]


def names():
    return {item["Key"] for item in s3.list_objects_v2(Bucket=bucket)["Contents"]}


def certificate(name, state="ISSUED"):
    arn = boto3.client("acm").request_certificate(DomainName=name)["CertificateArn"]
    acm_backends[ACCOUNT]["us-east-1"]._certificates[arn].status = state
    return arn


def hosted_zone(name):
    zone = boto3.client("route53").create_hosted_zone(Name=name, CallerReference=name)
    return zone["HostedZone"]["Id"].removeprefix("/hostedzone/")


# Two references that CloudFormation resolves and moto does not.
Parameter.get_cfn_attribute = lambda parameter, _: parameter.value
EventBus.physical_resource_id = property(lambda bus: bus.name)
CloudFormationBackend.create_change_set = translate_first
CloudFormationBackend.execute_change_set = show_outputs
CloudFormationResponse.create_change_set = remember_rollback
LambdaResponse.get_account_settings = account_settings
urls.url_paths[r"{0}/(?P<api_version>[^/]+)/account-settings/?$"] = LambdaResponse.dispatch
for logger in ("werkzeug", "samtranslator"):
    logging.getLogger(logger).setLevel(logging.ERROR)
server = ThreadedMotoServer(port=0, verbose=False)
server.start()
os.environ |= {
    "AWS_ACCESS_KEY_ID": "dry-run",
    "AWS_SECRET_ACCESS_KEY": "dry-run",
    "AWS_DEFAULT_REGION": "us-east-1",
    "SAM_CLI_TELEMETRY": "0",
    # moto takes a name before the first dot for a bucket, so not 127.0.0.1.
    "AWS_ENDPOINT_URL": f"http://localhost:{server.get_host_and_port()[1]}",
}
cloudformation, functions, s3, secrets = map(boto3.client, ("cloudformation", "lambda", "s3", "secretsmanager"))

shutil.rmtree(WORK, ignore_errors=True)
TEMPLATE.parent.mkdir(parents=True)
shutil.copy(ROOT / "infra/template.yaml", TEMPLATE)
for uri in re.findall(r"CodeUri: (\S+)", TEMPLATE.read_text()):
    code = TEMPLATE.parent / uri
    code.parent.mkdir(parents=True)
    code.write_bytes(uri.encode())

# Wrong inputs.
is_refused("Set STACK", "", "dev")
is_refused("STAGE is dev or prod", "dev", "test")
is_refused("dev-bootstrap does not exist", "dev", "dev")
bootstrap("dev", "dev")
bootstrap("prod", "prod")
is_refused("'registry' is not NAME=VALUE", "dev", "dev", PARAMETERS="Settings=BRAND=My registry")
is_refused("no parameter Brand", "dev", "dev", PARAMETERS="Brand=My")
is_refused("maybe", "dev", "dev", EXECUTE="maybe")

# A first deployment that fails, and the next one.
CloudFormationBackend.execute_change_set = fail_once
code_of_exit, output = deploy("dev", "dev")
expect(code_of_exit == 1 and "Table (AWS::A::B): Subscriber limit" in output and "cancelled" not in output, f"failure: {output}")
expect("dev is in ROLLBACK_COMPLETE. Nothing was created." in output, f"failure: {output}")
expect("Deleting the empty stack" in succeeds("dev", "dev"), "the stack that failed is not deleted")
by_default = created("dev")
options = {"CdnLogs", "DomainRecords", "LogKey", "MessageKey"}
expect(set(by_default) == supported - options, f"dev: {supported ^ set(by_default)}")
expect(variables(by_default["TalkFunction"])["TABLE_NAME"] == by_default["Table"], "dev: TABLE_NAME")
expect("Nothing changes" in succeeds("dev", "dev"), "the same again is a change")

# An update keeps other parameters, and deletes old code.
talk, bucket = by_default["TalkFunction"], created("dev-bootstrap")["Artifacts"]
for item in s3_backends[ACCOUNT]["aws"].buckets[bucket].keys.values():
    item.last_modified -= datetime.timedelta(days=40)
s3.put_object(Bucket=bucket, Key="young", Body=b"")
before = names()
succeeds("dev", "dev", PARAMETERS="Settings=BRAND=Mine")
deleted = before - names()
expect(len(deleted) == 1 and deleted.pop().endswith(".json"), f"old code: {deleted}")
succeeds("dev", "dev", PARAMETERS="Capacity=small")
expect(variables(talk)["SETTINGS"] == "BRAND=Mine", f"dev: {variables(talk)}")

# An object with the name of new code and other content.
code.write_bytes(b"new")
s3.put_object(Bucket=bucket, Key=hashlib.sha256(b"new").hexdigest() + ".zip", Body=b"other")
is_refused("has other content", "dev", "dev")

# Problems of the account.
for name in ("registry/stripe/key", "registry/stripe/webhook", "registry/search", "deleted"):
    secrets.create_secret(Name=name, SecretString="x")
secrets.delete_secret(SecretId="deleted")
dynamodb = boto3.client("dynamodb")
dynamodb.create_table(
    TableName="restored",
    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    BillingMode="PAY_PER_REQUEST",
)
all_options = {
    "BaseUrl": "https://registry.example.org",
    "CertificateArn": certificate("registry.example.org"),
    "CdnCertificateArn": certificate("*.example.org"),
    "CdnRequired": "yes",
    "HostedZoneId": hosted_zone("example.org"),
    "StripeSecrets": "registry/stripe",
    "SearchBackendSecret": "registry/search",
    "AlarmEmail": "operator@example.org",
    "Capacity": "large",
    "SigningKeys": "kms-all",
    "ExistingTable": "restored",
    "Settings": "BRAND=A registry with spaces;SEARCH_BACKEND_URL=https://chroma.example.com",
}
OPTIONS.write_text(json.dumps(all_options))
pending = certificate("registry.example.org", "PENDING_VALIDATION")
for reason, wrong in (
    ("Stage prod needs BaseUrl", "BaseUrl="),
    ("CertificateArn is EXPIRED", f"CertificateArn={certificate('registry.example.org', 'EXPIRED')}"),
    ("CertificateArn is PENDING_VALIDATION", f"CertificateArn={pending}"),
    ("CertificateArn does not exist", f"CertificateArn={pending[:-1]}"),
    ("CertificateArn is not in us-east-1", f"CertificateArn={pending.replace('us-east-1', 'eu-west-1')}"),
    ("CdnCertificateArn is for a.example.net, and not for registry", f"CdnCertificateArn={certificate('a.example.net')}"),
    ("The secret shop/key does not exist", "StripeSecrets=shop"),
    ("The secret deleted is being deleted", "SearchBackendSecret=deleted"),
    ("HostedZoneId Z0 does not exist", "HostedZoneId=Z0"),
    ("ExistingTable typo does not exist", "ExistingTable=typo"),
    ("is example.net. Use the id of a public zone", f"HostedZoneId={hosted_zone('example.net')}"),
):
    is_refused(reason, "prod", "prod", PARAMETERS=f"file://{OPTIONS} {wrong}")
for reason, limit in (
    ("executions, but this account may run only 10 at once", {"ConcurrentExecutions": 10}),
    ("Lambda keeps 100 unreserved", {"UnreservedConcurrentExecutions": 600}),
    ("90 percent full", {"TotalCodeSize": 1100}),
):
    correct = dict(LIMITS)
    LIMITS.update(limit)
    is_refused(reason, "prod", "prod", PARAMETERS=f"file://{OPTIONS}")
    LIMITS.update(correct)

# A change set is executed as it was reviewed. What nobody may ask is a warning.
LIMITS.clear()
output = succeeds("prod", "prod", PARAMETERS=f"file://{OPTIONS}")
expect("warning: functions could not be checked" in output and "Your account must be verified" in output, f"warnings: {output}")
state = cloudformation.describe_stacks(StackName="prod")["Stacks"][0]["StackStatus"]
expect(state == "REVIEW_IN_PROGRESS", f"prod: {state} without EXECUTE")
reviewed = re.search(r"Change set: (\S+)", output)[1]
is_refused("is for the stack prod in stage prod, not prod in dev", "prod", "dev", EXECUTE=reviewed)
is_refused("is for the stack prod in stage prod, not dev in prod", "dev", "prod", EXECUTE=reviewed)
before = change_sets()
code.write_bytes(b"newer")
succeeds("prod", "prod", EXECUTE=reviewed, PARAMETERS="Settings=BRAND=Other")
expect(change_sets() == before, "EXECUTE=<change set> made another one")
is_refused("cannot be executed (EXECUTE_COMPLETE)", "prod", "prod", EXECUTE=reviewed)
with_options = created("prod")
expect(set(with_options) == supported - {"Table"}, f"prod: {supported ^ set(with_options)}")
expected = {
    "TABLE_NAME": "restored",
    "BASE_URL": all_options["BaseUrl"],
    "SETTINGS": all_options["Settings"],
    "PROXY_ADDRESS_HEADER": "cloudfront-viewer-address",
    "PROXY_REQUIRED": "on",
}
found = variables(with_options["TalkFunction"])
expect(expected.items() <= found.items(), f"prod: {found}")
is_protected = [dynamodb.describe_table(TableName=name)["Table"].get("DeletionProtectionEnabled") for name in ("restored", by_default["Table"])]
expect(is_protected == [True, False], f"protection of the tables in prod and dev: {is_protected}")

is_refused("prod is in stage prod: set STAGE=prod", "prod", "dev")
# In prod, two alarms roll an update back, unless they are on already.
alarms = boto3.client("cloudwatch")
for name, state in (("ErrorsBurnFast", "OK"), ("CanaryFails", "ALARM"), ("NoTick", "OK")):
    alarms.put_metric_alarm(AlarmName=with_options[name], ComparisonOperator="GreaterThanThreshold", EvaluationPeriods=1)
    alarms.set_alarm_state(AlarmName=with_options[name], StateValue=state, StateReason="dry run")
output = succeeds("prod", "prod", PARAMETERS="Capacity=small")
expect(f"{with_options['CanaryFails']} is already in ALARM" in output, f"alarms: {output}")
arns = [trigger["Arn"].split(":")[-1] for trigger in rollbacks[-1]["RollbackTriggers"]]
expect(arns == [with_options["ErrorsBurnFast"]], f"alarms: {arns}")
expect(rollbacks[-1]["MonitoringTimeInMinutes"] == 20, f"alarms: {rollbacks[-1]}")

server.stop()
print(f"Created {len(by_default)} resources by default and {len(with_options)} with all options.")
print("Left out, because moto has no CloudFormation support for the type:")
for kind, count in sorted(left_out.items()):
    print(f"{count:5}  {kind}")
