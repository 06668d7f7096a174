"""Checks a template against what AWS refuses or bills only after a deployment: limits.py TRANSLATED TEMPLATE.

Neither cfn-lint nor SAM checks these rules. TRANSLATED is TEMPLATE as CloudFormation. Before the template is checked, each rule
must find the fault in a template that breaks it (faults.py).
"""

import copy
import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True

import costs  # noqa: E402
import faults  # noqa: E402
from evaluate import active, allows, as_list, capacities, evaluate, function_of, mentions, of_type, queues_with_readers  # noqa: E402
from evaluate import routes, statements  # noqa: E402

# Names that AWS makes for a resource, such as those of functions and tables with their prefix, and ARNs without them.
LONGEST_NAME = 128
LONGEST_SID = 100

# Paths without an answer, so `$default` may get them, although `{proxy+}` has all paths below.
NOTHING_AT = {"/agents", "/api/listings", "/api/pins", "/api/products", "/badge", "/feeds", "/r", "/v0", "/v0.1"}
# Exact routes below the `{proxy+}` of another function. well-known signs this card; a2a may not sign.
OTHER_FUNCTION = {"/api/a2a/.well-known/agent-card.json"}
# Queues whose messages become visible earlier than after six times the timeout of their function.
VISIBLE_EARLIER = {
    # The time is the pause before a first probe is tried again because the budget was used up. After six minutes the tick
    # probes the listing. Handling a message twice does no harm: a probe claims its listing first.
    "FirstProbes",
    # A message says only that the table has changes, and the schedule reads them each minute.
    "IndexChanges",
}


def route_keys(template):
    """API Gateway developer guide, "Create routes for HTTP APIs": a variable is a whole segment, and `{proxy+}` is the last.
    No route key ends in a slash: an import with FailOnWarnings fails (aws/serverless-application-model#1949).
    Whether other characters work, such as a colon, is written nowhere."""
    for path, _ in routes(template):
        if path in ("/", "$default"):
            continue
        if not path.startswith("/"):
            yield f"route {path}: does not begin with a slash"
        if path.endswith("/"):
            yield f"route {path}: ends in a slash"
        segments = path.strip("/").split("/")
        names = []
        for position, segment in enumerate(segments):
            variable = re.fullmatch(r"\{([A-Za-z0-9._-]+)(\+?)\}", segment)
            if variable is None:
                if not re.fullmatch(r"[A-Za-z0-9._-]+", segment):
                    yield f"route {path}: {segment} is neither a variable nor of safe characters"
            elif variable[2] and position + 1 < len(segments):
                yield f"route {path}: {segment} is not the last segment"
            else:
                names.append(variable[1])
        if len(names) != len(set(names)):
            yield f"route {path}: two variables have the same name"


def greedy_routes(template):
    """API Gateway developer guide, "Create routes for HTTP APIs": `/x/{proxy+}` matches all below `/x`, and an exact route wins."""
    functions = dict(routes(template))
    for path in functions:
        base = path.removesuffix("/{proxy+}")
        if base == path:
            continue
        if base not in functions and base not in NOTHING_AT:
            yield f"route {path}: {base} has no route"
        for other in functions:
            if other.startswith(base + "/") and functions[other] != functions[path] and other not in OTHER_FUNCTION:
                yield f"route {other}: another function than that of {path}"


def resource_policies(template):
    """Quotas of Lambda: 20 KB for the resource policy of a function. Each permission is a statement of it."""
    sizes = Counter()
    for permission in of_type(template, "AWS::Lambda::Permission").values():
        statement = {
            "Sid": "s" * LONGEST_SID,
            "Effect": "Allow",
            "Principal": {"Service": permission["Principal"]},
            "Action": permission["Action"],
            "Resource": "arn:aws:lambda:ap-southeast-1:123456789012:function:" + "f" * 64,
            "Condition": {"ArnLike": {"AWS:SourceArn": "a" * length(permission["SourceArn"], template)}},
        }
        sizes[json.dumps(permission["FunctionName"])] += len(json.dumps(statement, separators=(",", ":"))) + 1
    for function, size in sizes.items():
        if size > 20 * 1024:
            yield f"{function}: its resource policy can have {size} bytes; at most 20,480"


def environments(template):
    """Quotas of Lambda: 4 KB for the names and values of all variables of a function."""
    for name, function in of_type(template, "AWS::Lambda::Function").items():
        variables = function.get("Environment", {}).get("Variables", {})
        try:
            size = sum(len(key) + length(value, template) for key, value in variables.items())
        except ValueError as unlimited:
            yield f"{name}: {unlimited}"
            continue
        if size > 4096:
            yield f"{name}: its variables can have {size} bytes; at most 4,096"


def length(value, template):
    """The most characters that a value can have."""
    if isinstance(value, str):
        return len(value)
    [(function, of)] = value.items()
    if function == "Ref":
        if of == "AWS::NoValue":
            return 0
        parameter = template["Parameters"].get(of)
        if parameter is None:
            return LONGEST_NAME
        if "AllowedValues" in parameter:
            return max(len(str(allowed)) for allowed in parameter["AllowedValues"])
        if "MaxLength" not in parameter:
            raise ValueError(f"parameter {of} has no MaxLength")
        return int(parameter["MaxLength"])
    if function == "Fn::If":
        return max(length(branch, template) for branch in of[1:])
    if function == "Fn::GetAtt":
        return LONGEST_NAME
    if function == "Fn::Sub":
        text, variables = of if isinstance(of, list) else (of, {})
        lengths = {name: length(variable, template) for name, variable in variables.items()}
        parameters = set(re.findall(r"\$\{(\w+)\}", text)) & set(template["Parameters"])
        lengths |= {name: length({"Ref": name}, template) for name in parameters}
        # Regions, accounts and the ids of APIs have at most 14 characters.
        return len(re.sub(r"\$\{([^}]+)\}", lambda found: "x" * lengths.get(found[1], 16), text))
    raise ValueError(f"{function} is not supported by this check")


def queue_policies(template):
    """Amazon SQS developer guide, "Special information for SQS policies": each policy covers a single queue, and a queue has one.
    Amazon EventBridge user guide, "Using resource-based policies": the policy of the queue allows events.amazonaws.com to send."""
    policies = of_type(template, "AWS::SQS::QueuePolicy")
    open_to_rules, count = set(), Counter()
    for name, policy in policies.items():
        queues = [queue["Ref"] for queue in policy["Queues"]]
        if len(queues) != 1:
            yield f"{name}: {len(queues)} queues; exactly 1"
        count.update(queues)
        for statement in statements(policy):
            if statement["Resource"] != {"Fn::GetAtt": [queues[0], "Arn"]}:
                yield f"{name}: a statement is not about exactly {queues[0]}"
            elif allows(statement, "sqs:SendMessage") and mentions(statement["Principal"], "events.amazonaws.com"):
                open_to_rules.add(queues[0])
    yield from (f"{queue}: {of_queue} policies; at most 1" for queue, of_queue in count.items() if of_queue > 1)
    rules = of_type(template, "AWS::Events::Rule").values()
    for queue in of_type(template, "AWS::SQS::Queue"):
        if queue not in open_to_rules and any(mentions(rule["Targets"], queue) for rule in rules):
            yield f"{queue}: a rule sends to it, and no policy allows this"


def visibility(template):
    """Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping": the visibility timeout must not be
    less than the timeout of the function, and should be six times as long. Amazon SQS developer guide, "Using dead-letter
    queues": a message that expires first does not become a dead letter."""
    for name, function, _ in queues_with_readers(template):
        queue, timeout = template["Resources"][name]["Properties"], template["Resources"][function]["Properties"]["Timeout"]
        time = queue["VisibilityTimeout"]
        if time < timeout:
            yield f"{name}: visible after {time} s, and {function} may take {timeout} s"
        elif time < 6 * timeout and name not in VISIBLE_EARLIER:
            yield f"{name}: visible after {time} s, which is less than six times the timeout of {function}"
        if time * queue["RedrivePolicy"]["maxReceiveCount"] >= queue["MessageRetentionPeriod"]:
            yield f"{name}: messages expire before they become dead letters"


def concurrency(template):
    """Quotas of Lambda: 1,000 executions at once, of which 100 cannot be reserved; a new account can have 10 and so reserves none.
    "Configuring scaling behavior for SQS event source mappings": MaximumConcurrency is at least 2 and at most the reservation."""
    for capacity in capacities(template):
        functions = evaluate(of_type(template, "AWS::Lambda::Function"), template, Capacity=capacity)
        reserved = {name: f["ReservedConcurrentExecutions"] for name, f in functions.items() if "ReservedConcurrentExecutions" in f}
        most = 0 if capacity == template["Parameters"]["Capacity"]["Default"] else 900
        if sum(reserved.values()) > most:
            yield f"Capacity={capacity}: {sum(reserved.values())} reserved executions; at most {most}"
        yield from (f"Capacity={capacity}: {name} never runs" for name, value in reserved.items() if value == 0)
        for queue, function, mapping in queues_with_readers(template):
            at_once = int(evaluate(mapping["ScalingConfig"]["MaximumConcurrency"], template, Capacity=capacity))
            most = reserved.get(function, 1000)
            if not 2 <= at_once <= most:
                yield f"Capacity={capacity}: {at_once} messages of {queue} at once; at least 2 and at most {most}"


def deletion(template):
    """CloudFormation user guide, "DeletionPolicy attribute": RetainExceptOnCreate deletes what a failed first deployment has
    created. Secrets and logs are not kept, because a new stack makes its own."""
    for name, resource in template["Resources"].items():
        if resource["Type"] in ("AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::S3::Bucket"):
            for policy, wanted in (("DeletionPolicy", "RetainExceptOnCreate"), ("UpdateReplacePolicy", "Retain")):
                if resource.get(policy) != wanted:
                    yield f"{name}: {policy} is {resource.get(policy)}, not {wanted}"


def log_groups(template):
    """A log group of a fixed name that a failed deployment left stops the next one ("already exists"). CloudWatch Logs user guide,
    "Enable logging from AWS services": names below /aws/vendedlogs/ need no room in the resource policy of the account."""
    for name, group in of_type(template, "AWS::Logs::LogGroup").items():
        if "LogGroupName" in group and not all(mentions(group, part) for part in ("aws/vendedlogs", "AWS::StackId")):
            yield f"{name}: a fixed name"
    for name, function in of_type(template, "AWS::Lambda::Function").items():
        if "LogGroup" not in function.get("LoggingConfig", {}):
            yield f"{name}: Lambda creates its log group, with a fixed name"


def global_names(template):
    """CloudFormation template reference: dashboards, and policies of CloudFront, are global. So a name that has no region belongs to
    one stack only, and the same stack in another region fails or replaces it."""
    for kind in ("CloudWatch::Dashboard", "CloudFront::CachePolicy", "CloudFront::OriginRequestPolicy", "IAM::Role", "S3::Bucket"):
        for name, properties in of_type(template, f"AWS::{kind}").items():
            config = properties.get("CachePolicyConfig") or properties.get("OriginRequestPolicyConfig") or properties
            names = [value for key, value in config.items() if key in ("Name", "DashboardName", "RoleName", "BucketName")]
            if names and not mentions(names, "AWS::Region"):
                yield f"{name}: a global name without the region"


def policies(template):
    """Quotas of IAM: 10,240 characters without spaces for all policies in a role. Least privilege: no managed policy and no right on
    all resources; no exception is needed. A function that may create a log group creates it again after a failed deployment."""
    for kind in ("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
        for name, role in of_type(template, kind).items():
            granted = {key: value for key, value in role.items() if key != "AssumeRolePolicyDocument"}
            size = len(re.sub(r"\s", "", json.dumps([policy["PolicyDocument"] for policy in role.get("Policies", [])])))
            if size > 10_240:
                yield f"{name}: {size} characters of policies; at most 10,240"
            if role.get("ManagedPolicyArns"):
                yield f"{name}: managed policies"
            for statement in statements(granted):
                if statement["Effect"] == "Allow" and "*" in as_list(statement.get("Resource", "*")):
                    yield f"{name}: {statement.get('Sid')} is about all resources"
                if allows(statement, "logs:CreateLogGroup"):
                    yield f"{name}: {statement.get('Sid')} allows logs:CreateLogGroup"


def rights(template):
    """Lambda developer guide, "Lambda execution role": a function needs these rights for its log, its queue and its dead letters.
    Lambda checks the last two at creation. SAM adds them only to roles that it makes."""
    needed = [
        (name, f"logs:{action}", function["LoggingConfig"]["LogGroup"]["Ref"])
        for name, function in of_type(template, "AWS::Lambda::Function").items()
        for action in ("CreateLogStream", "PutLogEvents")
        if "LogGroup" in function["LoggingConfig"]
    ]
    for queue, name, _ in queues_with_readers(template):
        needed += [(name, f"sqs:{action}", queue) for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")]
    for config in of_type(template, "AWS::Lambda::EventInvokeConfig").values():
        queue = config["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]
        needed.append((function_of(config["FunctionName"], template), "sqs:SendMessage", queue))
    for name, action, target in needed:
        role = template["Resources"][name]["Properties"]["Role"]["Fn::GetAtt"][0]
        granted = statements(evaluate(template["Resources"][role]["Properties"]["Policies"], template))
        if not any(allows(statement, action) and mentions(statement["Resource"], target) for statement in granted):
            yield f"{role}: does not allow {action} on {target}"


def us_east_1(template):
    """Amazon CloudFront developer guide: its web ACLs, certificates, metrics and standard logs (v2) are only in us-east-1; the
    metrics of AWS Billing, too. A stack in another region must not create them."""
    distributions = of_type(template, "AWS::CloudFront::Distribution")
    for name, resource in template["Resources"].items():
        properties = resource.get("Properties", {})
        is_there = {
            "AWS::WAFv2::WebACL": properties.get("Scope") == "CLOUDFRONT",
            "AWS::CloudWatch::Alarm": mentions(properties, "AWS/CloudFront") or mentions(properties, "AWS/Billing"),
            "AWS::Logs::DeliverySource": any(mentions(properties, distribution) for distribution in distributions),
        }
        if not is_there.get(resource["Type"]):
            continue
        conditions = [resource["Condition"]] if "Condition" in resource else []
        for condition in conditions:
            conditions += [c for c in template["Conditions"] if c not in conditions and mentions(template["Conditions"][condition], c)]
        if not any(mentions(template["Conditions"][condition], "AWS::Region") for condition in conditions):
            yield f"{name}: exists only in us-east-1, and has no condition about the region"
    for distribution in distributions.values():
        certificate = distribution["DistributionConfig"]["ViewerCertificate"]["AcmCertificateArn"]["Ref"]
        if ":us-east-1:" not in template["Parameters"][certificate].get("AllowedPattern", ""):
            yield f"{certificate}: allows certificates outside us-east-1"


def first_deployment(template):
    """AWS gives no CloudFront to an account that it has not verified. The address that AWS gives to the API is on until the records
    of the domain exist, which only a hosted zone guarantees."""
    yield from (f"{name}: exists by default" for name in active(template, "AWS::CloudFront::Distribution"))
    [api] = of_type(template, "AWS::ApiGatewayV2::Api").values()
    if "true" in json.dumps(evaluate(api["Body"]["servers"], template, BaseUrl="https://x", CertificateArn="x")):
        yield "with a certificate, the address of the API is off before there are records"


def alarms(template):
    """Amazon CloudWatch user guide, "Using Amazon CloudWatch alarms": an alarm computes from at most ten metrics of the same
    period and looks back at most a day. If AWS/DynamoDB sends no data, the state stays, so FILL must replace the data.
    Amazon SQS developer guide, "Available CloudWatch metrics": NumberOfMessagesSent does not count messages of a redrive."""
    for name, alarm in of_type(template, "AWS::CloudWatch::Alarm").items():
        metrics = costs.metrics_of(alarm)
        if len(metrics) > 10:
            yield f"{name}: {len(metrics)} metrics; at most 10"
        periods = {int(m["MetricStat"]["Period"]) for m in alarm.get("Metrics", []) if "MetricStat" in m} or {int(alarm["Period"])}
        if len(periods) > 1:
            yield f"{name}: metrics of different periods"
        if max(periods) * int(alarm["EvaluationPeriods"]) > 86_400:
            yield f"{name}: looks back more than a day"
        watched = {(metric["Namespace"], metric["MetricName"]) for metric in metrics}
        if ("AWS/SQS", "NumberOfMessagesSent") in watched:
            yield f"{name}: misses messages that a redrive moves"
        if any(namespace == "AWS/DynamoDB" for namespace, _ in watched) and not mentions(alarm, "FILL"):
            yield f"{name}: does not end without data of AWS/DynamoDB"
        is_quick = int(alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])) == 1
        if is_quick and float(alarm["Threshold"]) <= 1 and ("AWS/Lambda", "Errors") in watched:
            yield f"{name}: one error is enough"
        if not evaluate(alarm.get("AlarmActions"), template):
            yield f"{name}: no action by default"


def counts(template):
    """Quotas of CloudFormation: 500 resources, 200 outputs and 200 mappings; of HTTP APIs: 300 routes. The others are our own, so that
    one person can read the template and answer the alarms."""
    for what, count, most in (
        ("resources", len(template["Resources"]), 500),
        ("outputs", len(template["Outputs"]), 200),
        ("mappings", len(template["Mappings"]), 200),
        ("routes", len(list(routes(template))), 300),
        ("parameters", len(template["Parameters"]), 15),
        ("functions", len(of_type(template, "AWS::Lambda::Function")), 12),
        ("alarms", len(of_type(template, "AWS::CloudWatch::Alarm")), 8),
        ("lines", template["lines"], 1_800),
    ):
        if count > most:
            yield f"{count} {what}; at most {most}"


def size(template):
    """Quotas of CloudFormation: 1 MB for a template in S3. The transformed template counts, too."""
    count = len(json.dumps(template, separators=(",", ":")))
    if count > 1_000_000:
        yield f"the template has {count} bytes; at most 1,000,000"


def prices(template):
    """A budget stops nothing: only the limits of the API and of the table limit what a flood costs. The second limit is our own."""
    for capacity, usd in costs.floods(template):
        if capacity != "large" and usd > costs.MOST_A_DAY:
            yield f"Capacity={capacity}: a flood costs {usd:.0f} USD a day; at most {costs.MOST_A_DAY}"
    usd = sum(costs.idle(template).values())
    if usd > costs.MOST_A_MONTH:
        yield f"without requests, the stack costs more than {costs.MOST_A_MONTH} USD a month"


RULES = [
    route_keys, greedy_routes, resource_policies, environments, queue_policies, visibility, concurrency,
    deletion, log_groups, global_names, policies, rights, us_east_1, first_deployment, alarms, counts, size, prices,
]  # fmt: skip


def problems(template):
    return [problem for rule in RULES for problem in rule(template)]


def main():
    template = json.loads(Path(sys.argv[1]).read_text())
    template["lines"] = Path(sys.argv[2]).read_text().count("\n")
    found = problems(template)
    for change, expected in faults.BROKEN:
        broken = copy.deepcopy(template)
        change(broken)
        new = [problem for problem in problems(broken) if problem not in found]
        if not (len(new) == 1 and expected in new[0]):
            found.append(f"the rule of {expected!r} found {new}")
    for what, usd in (
        ("a day of a flood", dict(costs.floods(template))),
        ("a month without requests", costs.idle(template)),
    ):
        print(f"USD of {what}:", ", ".join(f"{name} {value:.2f}" for name, value in usd.items()))
    sys.exit("\n".join(found) or None)


main()
