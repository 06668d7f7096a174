"""Checks a translated template against the documented limits of AWS: limits.py TRANSLATED SAMCONFIG.

A violation of these limits is found only by a deployment: neither cfn-lint nor SAM checks them. Before the template is checked,
each rule must find the fault in a template that breaks it.
"""

import copy
import json
import re
import sys
import tomllib
from pathlib import Path

ANY = "x-amazon-apigateway-any-method"

# Names that AWS makes for a resource, such as those of functions and tables with their prefix, and ARNs without them.
LONGEST_NAME = 128
LONGEST_SID = 100


def of_type(template, kind):
    return {name: r.get("Properties", {}) for name, r in template["Resources"].items() if r["Type"] == kind}


def paths(template):
    return [path for api in of_type(template, "AWS::ApiGatewayV2::Api").values() for path in api["Body"]["paths"]]


def route_keys(template):
    """API Gateway developer guide, "Create routes for HTTP APIs": a variable is a whole segment, and `{proxy+}` is the last.
    No route key ends in a slash: an import with FailOnWarnings fails (aws/serverless-application-model#1949)."""
    for path in paths(template):
        if path in ("/", "$default"):
            continue
        if not path.startswith("/"):
            yield f"route {path}: does not begin with a slash"
        if path.endswith("/"):
            yield f"route {path}: ends in a slash"
        segments = path.strip("/").split("/")
        names = []
        for position, segment in enumerate(segments):
            if "{" not in segment and "}" not in segment:
                continue
            variable = re.fullmatch(r"\{([A-Za-z0-9._:-]+)(\+?)\}", segment)
            if not variable:
                yield f"route {path}: {segment} is not a variable"
            elif variable[2] and position + 1 < len(segments):
                yield f"route {path}: {segment} is not the last segment"
            else:
                names.append(variable[1])
        if len(names) != len(set(names)):
            yield f"route {path}: two variables have the same name"


def number_of_routes(template):
    """Quotas of HTTP APIs: 300 routes per API."""
    for name, api in of_type(template, "AWS::ApiGatewayV2::Api").items():
        count = sum(len(methods) for methods in api["Body"]["paths"].values())
        if count > 300:
            yield f"{name}: {count} routes; at most 300"


def resource_policies(template):
    """Quotas of Lambda: 20 KB for the resource policy of a function. Each permission is a statement of it."""
    sizes = {}
    for permission in of_type(template, "AWS::Lambda::Permission").values():
        statement = {
            "Sid": "s" * LONGEST_SID,
            "Effect": "Allow",
            "Principal": {"Service": permission["Principal"]},
            "Action": permission["Action"],
            "Resource": "arn:aws:lambda:ap-southeast-1:123456789012:function:" + "f" * 64,
            "Condition": {"ArnLike": {"AWS:SourceArn": "a" * length(permission["SourceArn"], template)}},
        }
        function = json.dumps(permission["FunctionName"])
        sizes[function] = sizes.get(function, 0) + len(json.dumps(statement, separators=(",", ":"))) + 1
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
        for name, variable in variables.items():
            text = text.replace("${" + name + "}", "x" * length(variable, template))
        # Regions, accounts and the ids of APIs have at most 14 characters; their placeholders are at least as long, or here.
        return len(re.sub(r"\$\{[^}]+\}", "x" * 16, text))
    raise ValueError(f"{function} is not supported by this check")


def counts(template):
    """Quotas of CloudFormation: 200 parameters, 500 resources, 200 outputs and 200 mappings."""
    for section, most in (("Parameters", 200), ("Resources", 500), ("Outputs", 200), ("Mappings", 200)):
        count = len(template.get(section, {}))
        if count > most:
            yield f"{count} {section}; at most {most}"


def size(template):
    """Quotas of CloudFormation: 51,200 bytes in a request, 1 MB in S3. The transformed template counts, too."""
    count = len(json.dumps(template, separators=(",", ":")))
    uses_s3 = all(environment["deploy"]["parameters"].get("resolve_s3") for environment in template["samconfig"].values())
    if count > 51_200 and not uses_s3:
        yield f"the template has {count} bytes; above 51,200, samconfig.toml must set resolve_s3"
    if count > 1_000_000:
        yield f"the template has {count} bytes; at most 1,000,000"


def alarms(template):
    """Amazon CloudWatch user guide, "Using math expressions" and PutMetricAlarm: an alarm computes from at most ten metrics and
    looks back at most one day."""
    for name, alarm in of_type(template, "AWS::CloudWatch::Alarm").items():
        metrics = [metric["MetricStat"] for metric in alarm.get("Metrics", []) if "MetricStat" in metric]
        if len(metrics) > 10:
            yield f"{name}: {len(metrics)} metrics; at most 10"
        period = alarm["Period"] if "Period" in alarm else metrics[0]["Period"]
        if int(period) * int(alarm["EvaluationPeriods"]) > 86_400:
            yield f"{name}: looks back more than a day"


RULES = [route_keys, number_of_routes, resource_policies, environments, alarms, counts, size]


def problems(template):
    return [problem for rule in RULES for problem in rule(template)]


def add_routes(*added):
    def change(template):
        [api] = of_type(template, "AWS::ApiGatewayV2::Api").values()
        api["Body"]["paths"].update({path: {ANY: {}} for path in added})

    return change


def add_permissions(template):
    permissions = [r for r in template["Resources"].values() if r["Type"] == "AWS::Lambda::Permission"]
    template["Resources"].update({f"Permission{number}": permissions[0] for number in range(40)})


def set_variable(value):
    def change(template):
        next(iter(of_type(template, "AWS::Lambda::Function").values()))["Environment"]["Variables"]["X"] = value

    return change


def set_alarm(name, value):
    def change(template):
        next(a for a in of_type(template, "AWS::CloudWatch::Alarm").values() if name in a)[name] = value

    return change


def set_section(section, count, value):
    def change(template):
        template[section] = template.get(section, {}) | {f"Name{number}": value for number in range(count)}

    return change


def without_s3(template):
    template["samconfig"]["prod"]["deploy"]["parameters"]["resolve_s3"] = False


QUEUE = {"Type": "AWS::SQS::Queue", "Properties": {}}

# What breaks a rule, and the only problem that must be found.
BROKEN = [
    (add_routes("/api/ard/"), "route /api/ard/: ends in a slash"),
    (add_routes("api"), "route api: does not begin with a slash"),
    (add_routes("/a/x{id}"), "route /a/x{id}: x{id} is not a variable"),
    (add_routes("/a/{i d}"), "route /a/{i d}: {i d} is not a variable"),
    (add_routes("/a/{proxy+}/b"), "route /a/{proxy+}/b: {proxy+} is not the last segment"),
    (add_routes("/a/{id}/{id}"), "route /a/{id}/{id}: two variables have the same name"),
    (add_routes(*[f"/r{number}" for number in range(300)]), "routes; at most 300"),
    (add_permissions, "bytes; at most 20,480"),
    (set_variable("x" * 4096), "bytes; at most 4,096"),
    (set_variable({"Ref": "HostedZoneId"}), "parameter HostedZoneId has no MaxLength"),
    (set_alarm("EvaluationPeriods", 1000), "looks back more than a day"),
    (set_alarm("Metrics", [{"MetricStat": {"Period": 60}}] * 11), "11 metrics; at most 10"),
    (set_section("Parameters", 200, {"Type": "String"}), "Parameters; at most 200"),
    (set_section("Resources", 500, QUEUE), "Resources; at most 500"),
    (set_section("Outputs", 201, {"Value": "x"}), "Outputs; at most 200"),
    (set_section("Mappings", 201, {}), "Mappings; at most 200"),
    (without_s3, "samconfig.toml must set resolve_s3"),
    (set_section("Metadata", 1, "x" * 1_000_000), "bytes; at most 1,000,000"),
]


def main():
    template = json.loads(Path(sys.argv[1]).read_text())
    config = tomllib.loads(Path(sys.argv[2]).read_text())
    template["samconfig"] = {name: value for name, value in config.items() if isinstance(value, dict)}
    found = problems(template)
    for change, expected in BROKEN:
        broken = copy.deepcopy(template)
        change(broken)
        new = [problem for problem in problems(broken) if problem not in found]
        if not (len(new) == 1 and expected in new[0]):
            found.append(f"the rule of {expected!r} found {new}")
    sys.exit("\n".join(found) or None)


main()
