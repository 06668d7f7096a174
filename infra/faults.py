"""Changes of a template that break one rule of limits.py each."""

import json

from evaluate import ANY, of_type


def resource(template, name):
    """The resource of a name, or the first of a type."""
    return next((r for key, r in template["Resources"].items() if name in (key, r["Type"])), None)


def put(value, *path):
    """Puts the value at the path, which begins with a resource, a type (its first resource) or a section."""

    def change(template):
        at = template
        for position, key in enumerate(path[:-1]):
            at = (position == 0 and resource(template, key)) or at[key]
        at[path[-1]] = value

    return change


def add(section, count, value):
    """Adds entries to a section; a name or a type stands for a copy of this resource."""

    def change(template):
        entry = resource(template, value) if isinstance(value, str) else value
        template[section] |= {f"Name{number}": entry for number in range(count)}

    return change


def replace(old, new, count=-1):
    """Replaces a string wherever it is in the template."""

    def change(template):
        template |= json.loads(json.dumps(template).replace(f'"{old}"', f'"{new}"', count))

    return change


def add_routes(*added):
    def change(template):
        [api] = of_type(template, "AWS::ApiGatewayV2::Api").values()
        api["Body"]["paths"].update({path: {ANY: {}} for path in added})

    return change


def alarm(*metrics, **properties):
    """An alarm that does not exist by default, so that it has no price."""
    stats = [{"MetricStat": {"Period": period, "Metric": {"Namespace": space, "MetricName": name}}} for space, name, period in metrics]
    valid = {"EvaluationPeriods": 2, "Threshold": 5, "AlarmActions": ["x"], "Metrics": stats}
    return {"Type": "AWS::CloudWatch::Alarm", "Condition": "HasCdn", "Properties": valid | properties}


def watch(*metrics, **properties):
    """Replaces an alarm."""
    return put(alarm(*metrics, **properties), "Resources", "PaymentFlagged")


METRIC = ("AWS/SQS", "ApproximateNumberOfMessagesVisible", 300)
QUEUE = {"Type": "AWS::SQS::Queue", "Properties": {}}
ACL = {"Type": "AWS::WAFv2::WebACL", "Condition": "HasCdn", "Properties": {"Scope": "CLOUDFRONT"}}
SOURCE = {"Type": "AWS::Logs::DeliverySource", "Properties": {"ResourceArn": {"Fn::Sub": "${Cdn}"}}}
VARIABLE = ("AWS::Lambda::Function", "Properties", "Environment", "Variables", "X")
OF_QUEUE = ("DeadLettersPolicy", "Properties", "PolicyDocument", "Statement")
OF_ROLE = ("PublishRole", "Properties", "Policies", 0, "PolicyDocument", "Id")
ON_FAILURE = ("AWS::Lambda::EventInvokeConfig", "Properties", "DestinationConfig", "OnFailure")
RIGHT = {"Sid": "X", "Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "x"}
IF_EMAIL = {"Fn::If": ["HasAlarmEmail", ["x"], {"Ref": "AWS::NoValue"}]}

# The changes, and the only problem that limits.py must find.
BROKEN = [
    (add_routes("/x/"), "route /x/: ends in a slash"),
    (add_routes("api"), "route api: does not begin with a slash"),
    (add_routes("/a/x{id}"), "x{id} is neither a variable nor of safe characters"),
    (add_routes("/a/{i d}"), "{i d} is neither a variable nor of safe characters"),
    (add_routes("/message:send"), "message:send is neither a variable nor of safe characters"),
    (add_routes("/a/{proxy+}/b"), "route /a/{proxy+}/b: {proxy+} is not the last segment"),
    (add_routes("/a/{id}/{id}"), "route /a/{id}/{id}: two variables have the same name"),
    (add_routes("/x/{proxy+}"), "route /x/{proxy+}: /x has no route"),
    (add_routes("/api/talk/x"), "route /api/talk/x: another function than that of /api/talk/{proxy+}"),
    (add_routes(*[f"/r{number}" for number in range(300)]), "routes; at most 300"),
    (add("Resources", 40, "AWS::Lambda::Permission"), "bytes; at most 20,480"),
    (put("x" * 4096, *VARIABLE), "bytes; at most 4,096"),
    (put({"Ref": "HostedZoneId"}, *VARIABLE), "parameter HostedZoneId has no MaxLength"),
    (put([{"Ref": "DeadLetters"}, {"Ref": "Other"}], "DeadLettersPolicy", "Properties", "Queues"), "2 queues; exactly 1"),
    (put([{"Fn::GetAtt": ["DeadLetters", "Arn"]}], *OF_QUEUE, 1, "Resource"), "a statement is not about exactly DeadLetters"),
    (put("sns.amazonaws.com", *OF_QUEUE, 0, "Principal", "Service"), "DeadLetters: a rule sends to it, and no policy allows this"),
    (add("Resources", 1, "DeadLettersPolicy"), "DeadLetters: 2 policies; at most 1"),
    (put(100, "FirstProbes", "Properties", "VisibilityTimeout"), "visible after 100 s, and ProbeTickFunction may take 180 s"),
    (replace("IndexChanges", "Other"), "Other: visible after 240 s, which is less than six times"),
    (put(600, "IndexChanges", "Properties", "MessageRetentionPeriod"), "messages expire before they become dead letters"),
    (put(1, "OperatorFunction", "Properties", "ReservedConcurrentExecutions"), "Capacity=new: 1 reserved executions; at most 0"),
    (put(900, "Mappings", "Capacities", "large", "index"), "reserved executions; at most 900"),
    (put(0, "Mappings", "Capacities", "large", "talk"), "Capacity=large: TalkFunction never runs"),
    (put(50, "Mappings", "Capacities", "large", "FirstProbes"), "Capacity=large: 50 messages of FirstProbes at once"),
    (put(1, "Mappings", "Capacities", "new", "FirstProbes"), "Capacity=new: 1 messages of FirstProbes at once"),
    (put("Retain", "AWS::DynamoDB::Table", "DeletionPolicy"), "Table: DeletionPolicy is Retain, not RetainExceptOnCreate"),
    (put("Delete", "AWS::KMS::Key", "UpdateReplacePolicy"), "UpdateReplacePolicy is Delete, not Retain"),
    (put("/registry/functions", "Logs", "Properties", "LogGroupName"), "Logs: a fixed name"),
    (put("/aws/vendedlogs/http", "ApiLogs", "Properties", "LogGroupName"), "ApiLogs: a fixed name"),
    (put({}, "TalkFunction", "Properties", "LoggingConfig"), "TalkFunction: Lambda creates its log group"),
    (put("x", "AWS::CloudFront::CachePolicy", "Properties", "CachePolicyConfig", "Name"), "a global name without the region"),
    (put(["x"], "PublishRole", "Properties", "ManagedPolicyArns"), "PublishRole: managed policies"),
    (put(RIGHT | {"Resource": ["x", "*"]}, *OF_ROLE), "PublishRole: X is about all resources"),
    (put(RIGHT | {"Action": ["logs:create*"]}, *OF_ROLE), "PublishRole: X allows logs:CreateLogGroup"),
    (put("x" * 10_240, *OF_ROLE), "characters of policies; at most 10,240"),
    (replace("logs:PutLogEvents", "logs:x", 1), "does not allow logs:PutLogEvents on Logs"),
    (replace("sqs:DeleteMessage", "sqs:x", 1), "does not allow sqs:DeleteMessage on"),
    (put({"Fn::GetAtt": ["Other", "Arn"]}, *ON_FAILURE, "Destination"), "does not allow sqs:SendMessage on Other"),
    (put(ACL, "Resources", "Acl"), "Acl: exists only in us-east-1"),
    (put(SOURCE, "Resources", "Source"), "Source: exists only in us-east-1"),
    (watch(("AWS/CloudFront", "Requests", 300)), "exists only in us-east-1"),
    (put(".*", "Parameters", "CdnCertificateArn", "AllowedPattern"), "CdnCertificateArn: allows certificates outside us-east-1"),
    (put("CreatesTable", "Cdn", "Condition"), "Cdn: exists by default"),
    (put({"Fn::Equals": [1, 1]}, "Conditions", "HasDns"), "the address of the API is off before there are records"),
    (watch(METRIC, EvaluationPeriods=1000), "looks back more than a day"),
    (watch(*[METRIC] * 11), "11 metrics; at most 10"),
    (watch(METRIC, ("AWS/SQS", "NumberOfMessagesReceived", 60)), "metrics of different periods"),
    (watch(("AWS/SQS", "NumberOfMessagesSent", 300)), "misses messages that a redrive moves"),
    (watch(("AWS/DynamoDB", "ReadThrottleEvents", 300)), "does not end without data of AWS/DynamoDB"),
    (watch(("AWS/Lambda", "Errors", 300), Threshold=1, EvaluationPeriods=1), "one error is enough"),
    (watch(METRIC, AlarmActions=IF_EMAIL), "no action by default"),
    (add("Resources", 500, QUEUE), "resources; at most 500"),
    (add("Outputs", 201, {"Value": "x"}), "outputs; at most 200"),
    (add("Mappings", 200, {}), "mappings; at most 200"),
    (add("Parameters", 15, {"Type": "String"}), "parameters; at most 15"),
    (add("Resources", 12, "OperatorFunction"), "functions; at most 12"),
    (add("Resources", 8, alarm(METRIC)), "alarms; at most 8"),
    (put(1_801, "lines"), "1801 lines; at most 1800"),
    (put("x" * 1_000_000, "Metadata"), "bytes; at most 1,000,000"),
    (put(1000, "Mappings", "Capacities", "small", "Rate"), "Capacity=small: a flood costs"),
    (add("Resources", 3, {"Type": "AWS::CloudWatch::Dashboard"}), "without requests, the stack costs more"),
]
