"""What a stack costs at its limits and without requests, in USD at the list prices of us-east-1, without free tiers.

Prices and means are those of shared/docs/costs.md, looked up on 2026-11-26. (e) marks an estimate, (m) what is from memory.
"""

import re
from pathlib import Path

from evaluate import active, capacities, evaluate, function_of, of_type, queues_with_readers

ROOT = Path(__file__).resolve().parent.parent

MOST_A_DAY = 60
MOST_A_MONTH = 8

DAY = 86_400
MONTH = 30.4375 * DAY
MILLION = 1_000_000
GIB = 2**30

API_REQUEST = 1.00 / MILLION
LAMBDA_REQUEST = 0.20 / MILLION
GB_SECOND = 0.0000166667
READ_UNIT = 0.125 / MILLION
WRITE_UNIT = 0.625 / MILLION
LOG_BYTE = 0.50 / GIB
TRANSFER_BYTE = 0.09 / GIB
SCHEDULED_EVENT = 1.00 / MILLION
QUEUE_REQUEST = 0.40 / MILLION  # (m)
# A month each.
ALARM_METRIC = 0.10
CUSTOM_METRIC = 0.30
DASHBOARD = 3.00
KMS_KEY = 1.00
SECRET = 0.40  # (m)
INSIGHT_RULE = 0.50  # usage.ai/blog/aws-reserved-instances-dynamodb-contributor-insights, 2026-11-30

# The mean request.
DURATION = 0.0207  # (e)
MEMORY_GB = 1
ACCESS_LOG_LINE = 348  # (e)
FUNCTION_LOG_BYTES = 450 / 100  # (e)
ANSWER_BYTES = 7_000  # (e)
REQUEST = (
    API_REQUEST + LAMBDA_REQUEST + (ACCESS_LOG_LINE + FUNCTION_LOG_BYTES) * LOG_BYTE + ANSWER_BYTES * TRANSFER_BYTE
)

# A scheduled job that finds no work.
IDLE_DURATION = 0.2  # (e)
IDLE_READ_UNITS = 20  # (e)

# Lambda developer guide, "Configuring scaling behavior for SQS event source mappings": five processes poll a queue, with a
# maximum concurrency never fewer. A long poll takes 20 s (m).
POLLS_A_SECOND = 5 / 20


def floods(template):
    """Of each capacity, the cost of a day in which all requests and units of the table are used, and all executions that are
    reserved for requests run without a pause, as for slow requests. `new` reserves none: there the account limits them, and only
    the mean duration is counted."""
    [stage] = of_type(template, "AWS::ApiGatewayV2::Stage").values()
    [table] = of_type(template, "AWS::DynamoDB::Table").values()
    for capacity in capacities(template):
        rate = int(evaluate(stage["DefaultRouteSettings"]["ThrottlingRateLimit"], template, Capacity=capacity))
        limits = [index["OnDemandThroughput"] for index in (table, *table["GlobalSecondaryIndexes"])]
        limits = evaluate(limits, template, Capacity=capacity)
        reads, writes = (sum(int(limit[f"Max{kind}RequestUnits"]) for limit in limits) for kind in ("Read", "Write"))
        functions = evaluate(list(requested(template)), template, Capacity=capacity)
        gigabytes = sum(int(f.get("ReservedConcurrentExecutions", 0)) * f["MemorySize"] / 1024 for f in functions)
        gigabytes = max(gigabytes, rate * DURATION * MEMORY_GB)
        yield capacity, DAY * (rate * REQUEST + reads * READ_UNIT + writes * WRITE_UNIT + gigabytes * GB_SECOND)


def requested(template):
    """The functions behind the HTTP API."""
    allowed = of_type(template, "AWS::Lambda::Permission").values()
    names = {function_of(p["FunctionName"], template) for p in allowed if p["Principal"] == "apigateway.amazonaws.com"}
    return [template["Resources"][name]["Properties"] for name in names]


def idle(template):
    """The lines of a month without requests, with the default parameters."""
    alarms = active(template, "AWS::CloudWatch::Alarm").values()
    tables = active(template, "AWS::DynamoDB::Table").values()
    indexes = [index for table in tables for index in (table, *table["GlobalSecondaryIndexes"])]
    # Each key has a rule.
    rules = sum(len(i["KeySchema"]) for i in indexes if i.get("ContributorInsightsSpecification", {}).get("Enabled"))
    runs = gb_seconds = 0
    for schedule in active(template, "AWS::Scheduler::Schedule").values():
        count = MONTH / seconds_between(schedule["ScheduleExpression"])
        function = template["Resources"][function_of(schedule["Target"]["Arn"], template)]
        runs += count
        gb_seconds += count * IDLE_DURATION * function["Properties"]["MemorySize"] / 1024
    return {
        "metrics of alarms": ALARM_METRIC * sum(len(metrics_of(alarm)) for alarm in alarms),
        "custom metrics": CUSTOM_METRIC * (custom_metrics() + len(active(template, "AWS::Logs::MetricFilter"))),
        "dashboards": DASHBOARD * len(active(template, "AWS::CloudWatch::Dashboard")),
        "KMS keys": KMS_KEY * len(active(template, "AWS::KMS::Key")),
        "secrets": SECRET * len(active(template, "AWS::SecretsManager::Secret")),
        "Contributor Insights": INSIGHT_RULE * rules,
        "polls of queues": QUEUE_REQUEST * POLLS_A_SECOND * MONTH * len(list(queues_with_readers(template))),
        "schedules": runs * (SCHEDULED_EVENT + LAMBDA_REQUEST + IDLE_READ_UNITS * READ_UNIT) + gb_seconds * GB_SECOND,
    }


def metrics_of(alarm):
    """The metrics that an alarm watches; for each of them it costs."""
    return [metric["MetricStat"]["Metric"] for metric in alarm.get("Metrics", []) if "MetricStat" in metric] or [alarm]


def custom_metrics():
    """Only the metrics with an alarm are metrics of CloudWatch; the tick writes each of them."""
    code = (ROOT / "shared/model/src/metrics.rs").read_text()
    return re.search(r"fn has_alarm.*?matches!\((.*?)\)", code, re.DOTALL)[1].count("Self::")


def seconds_between(expression):
    """Of the forms that the schedules have."""
    if minutes := re.fullmatch(r"rate\((\d+) minutes?\)|cron\(0/(\d+) \* \* \* \? \*\)", expression):
        return 60 * int(minutes[1] or minutes[2])
    if re.fullmatch(r"cron\(\d+ \* \* \* \? \*\)", expression):
        return 3_600
    raise ValueError(f"{expression} is not supported by this check")
