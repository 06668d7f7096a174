"""Shows when each alarm of a translated template fires and clears, and what it does not fire for: alarms.py TRANSLATED

A scenario is a list of (minute, metric, dimensions, value), as AWS and the registry record them. CloudWatch is imitated as its user
guide describes it: "Alarm evaluation" (each minute, over periods that end then; an action runs only when the state changes), "Using
math expressions" (what a missing value means), "Configuring how CloudWatch alarms treat missing data" (its tables are tested below;
they show two periods more than EvaluationPeriods, and nothing says how far CloudWatch looks back otherwise). A scenario must find each
mistake that is put into an alarm. CloudWatch's API, here moto, must accept the alarms.
"""

import json
import sys
from functools import cache
from pathlib import Path

import boto3
from moto import mock_aws

PAGES = {"CanaryFails", "ErrorsBurnFast", "NoTick"}
TICKETS = {"DeadLettersVisible", "FunctionErrors", "PaymentFlagged", "TableThrottled", "WorkLags"}
ACTIONS = {"ALARM": "AlarmActions", "INSUFFICIENT_DATA": "InsufficientDataActions", "OK": "OKActions"}
STATISTICS = {"Sum": sum, "Minimum": min, "Maximum": max, "SampleCount": len}
LOOKS_BACK = 2


def resolved(value):
    """The value with the names of resources instead of references."""
    if isinstance(value, list):
        return [resolved(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "Fn::If" in value:
        return resolved(value["Fn::If"][1])
    return value.get("Ref") or value.get("Fn::GetAtt", [None])[0] or {key: resolved(item) for key, item in value.items()}


class Series(list):
    """The values of a metric or an expression, None where one is missing."""

    def __truediv__(self, other):
        return pointwise(lambda row: row[0] / row[1] if row[1] else None, self, other)

    def __ge__(self, other):
        return pointwise(lambda row: row[0] >= row[1], self, other)


def rows(*series):
    return zip(*(one if isinstance(one, Series) else [one] * len(series[0]) for one in series))


def pointwise(function, *series):
    """A missing value counts as 0 if another series has one. A series and a number have only the values of the series."""
    numbers = [None if isinstance(one, Series) else one for one in series]
    return Series(None if list(row) == numbers else function([value or 0 for value in row]) for row in rows(*series))


def fill(series, value):
    return Series(value if v is None else v for v in series) if isinstance(series, Series) else [fill(one, value) for one in series]


def choose(condition, true, false=None):
    """If the condition is true, a missing value is 0. If it is false or missing, there is no value instead of a missing one."""
    return Series(None if c is None else (yes or 0) if c else no for c, yes, no in rows(condition, true, false))


MATH = {"SUM": lambda all: pointwise(sum, *all), "MAX": lambda all: pointwise(max, *all), "FILL": fill, "IF": choose,
        "DIFF": lambda series: Series(None if None in step else step[1] - step[0] for step in zip([None, *series], series))}  # fmt: skip


def state(values, alarm, before):
    """The state after these values, the newest last. See also "Avoiding premature transitions to alarm state"."""
    periods, missing, below = alarm["EvaluationPeriods"], alarm["TreatMissingData"], alarm["ComparisonOperator"] == "LessThanThreshold"
    enough = alarm.get("DatapointsToAlarm", periods)
    breaches = [(value < alarm["Threshold"]) == below for value in values if value is not None][-periods:]
    filled = periods - len(breaches)
    if filled and missing in ("ignore", "missing") and all(breaches) and len(breaches) < enough:
        oldest = max((len(values) - index for index, value in enumerate(values) if value is not None), default=0)
        return before if missing == "ignore" else "ALARM" if oldest >= enough else "INSUFFICIENT_DATA"
    return "ALARM" if sum(breaches) + filled * (missing == "breaching") >= enough else "OK"


def messages(alarm, points):
    """The (minute, state) about which the alarm sends a message."""
    if "AWS/DynamoDB" in json.dumps(alarm):  # By default (the guide) or always (the reference of PutMetricAlarm).
        alarm = alarm | {"TreatMissingData": "ignore"}
    queries = alarm.get("Metrics") or [{"Id": "only", "MetricStat": {"Metric": alarm, "Period": alarm["Period"], "Stat": alarm["Statistic"]}}]
    metrics = {query["Id"]: query["MetricStat"] for query in queries if "MetricStat" in query}
    [expression] = [query["Expression"] for query in queries if "Expression" in query] or ["only"]
    [minutes] = {stat["Period"] // 60 for stat in metrics.values()}
    recorded = {}
    for minute, metric, of, value in points:
        recorded.setdefault((metric, of), {}).setdefault(minute, []).append(value)

    @cache
    def statistic(id, end):
        metric, of = metrics[id]["Metric"], "/".join(dimension["Value"] for dimension in metrics[id]["Metric"]["Dimensions"])
        values = recorded.get((f"{metric['Namespace']}/{metric['MetricName']}", of), {})
        found = [value for minute in range(end - minutes, end) for value in values.get(minute, ())]
        return STATISTICS[metrics[id]["Stat"]](found) if found else None

    @cache
    def computed(*series):
        series = dict(zip(metrics, map(Series, series)))
        return eval(expression, MATH | series | {"METRICS": lambda: list(series.values())})

    before, sent = "INSUFFICIENT_DATA", []
    for now in range(1, END):
        ends = [now - minutes * back for back in reversed(range(alarm["EvaluationPeriods"] + LOOKS_BACK))]
        after = state(computed(*(tuple(statistic(id, end) for end in ends) for id in metrics)), alarm, before)
        if after != before and alarm.get(ACTIONS[after]):
            sent.append((now, after))
        before = after
    return sent


# Tests that show that the registry reports these: only_scheduled_ticks_count_for_the_alarm, canary_uses_the_registry_and_leaves_no_trace,
# refund_or_lost_dispute_closes_a_purchase and tick_reports_how_long_a_recheck_is_overdue. The last two have a test only with the value 0.
HEALTHY = ["CanaryFailures", "FlaggedPayments", "OldestOverdueRecheck", "OldestPendingLeaf", "OldestUnindexedChange"]
CALLS, FAILED, ERRORS = "AWS/ApiGateway/Count", "AWS/ApiGateway/5xx", "AWS/Lambda/Errors"
REFUSED, VISIBLE, SENT = "AWS/DynamoDB/WriteThrottleEvents", "AWS/SQS/ApproximateNumberOfMessagesVisible", "AWS/SQS/NumberOfMessagesSent"
FAULT, TICK, REPAIR, END = 120, 126, 360, 520
waits = lambda minute: 60 * (minute - FAULT)


def each(metric, of, step=1, begin=FAULT, end=REPAIR, value=1):
    return [(minute, metric, of, value(minute) if callable(value) else value) for minute in range(begin, end, step)]


def normal(begin=0, end=END, ticks=True, requests=5, **reported):
    """Each minute requests and a run of the search index; a tick after 5 or 7 minutes. AWS records failures only if there are some."""
    points = each("AWS/Lambda/Invocations", "SearchIndexFunction", 1, begin, end) + requests * each(CALLS, "Api", 1, begin, end)
    for metric, value in ({"ScheduledTicks": 1} | dict.fromkeys(HEALTHY, 0) | reported).items() if ticks else ():
        for minute, *point in each(f"AgentAndMcpRegistry/{metric}", "ProbeTickFunction", 6, begin + -begin % 6, end, value):
            points.append((minute + minute // 6 % 2, *point))
    return points


def during(end=REPAIR, **fault):
    return normal(0, FAULT) + normal(FAULT, end, **fault) + normal(end)


def dead(step, end=REPAIR):
    """Events that failed for good, whose messages stay in the queue. An unused queue records nothing."""
    return each(VISIBLE, "DeadLetters", end=END, value=lambda minute: (min(minute, end - 1) - FAULT) // step + 1)


# What happens from FAULT to REPAIR, the points, and the alarms: at most how many minutes after FAULT they fire, and after REPAIR clear.
SCENARIOS = [
    ("the public URL does not answer", during(CanaryFailures=1, requests=0), {"CanaryFails": (15, 20)}),
    ("the canary fails, then the tick stops", during(ticks=False) + normal(FAULT, TICK + 6, CanaryFailures=1),
     {"CanaryFails": (15, 20), "NoTick": (45, 10)}),
    ("a tenth of the requests fails", during() + each(FAILED, "Api", 2), {"ErrorsBurnFast": (12, 62)}),
    ("all requests fail, then nobody calls", normal(0, REPAIR) + normal(REPAIR, requests=0) + 5 * each(FAILED, "Api"), {"ErrorsBurnFast": (3, 62)}),
    ("the tick crashes", during(ticks=False) + 2 * each(ERRORS, "ProbeTickFunction", 6) + dead(6) + each(SENT, "DeadLetters", 6),
     {"NoTick": (36, 10), "FunctionErrors": (31, 31), "DeadLettersVisible": (125, 65)}),
    ("all schedules stop after a tick", normal(0, FAULT - 4) + normal(REPAIR), {"NoTick": (45, 10)}),
    ("the first tick of a new stack never comes", normal(FAULT, REPAIR, ticks=False) + normal(REPAIR), {"NoTick": (36, 10)}),
    ("some requests to Talk crash", during() + each(ERRORS, "TalkFunction", 3), {"FunctionErrors": (31, 31)}),
    ("the recheck stands still", during(OldestOverdueRecheck=lambda minute: 18_000 + waits(minute)), {"WorkLags": (80, 20)}),
    ("the evidence log stands still", during(OldestPendingLeaf=waits), {"WorkLags": (50, 20)}),
    ("the search index stands still, then the tick stops", during(ticks=False) + normal(FAULT, FAULT + 31, OldestUnindexedChange=waits),
     {"WorkLags": (31, 20), "NoTick": (66, 10)}),
    ("the connector fails in each hour", during() + 2 * each(ERRORS, "DailyConnectorFunction", 60) + dead(60) + each(SENT, "DeadLetters", 60),
     {"DeadLettersVisible": (125, 65)}),
    # NumberOfMessagesSent does not count what SQS itself moves to the queue.
    ("each first probe ends without a response", during() + each(ERRORS, "ProbeTickFunction", 3) + dead(30),
     {"DeadLettersVisible": (125, 65), "FunctionErrors": (31, 31)}),
    ("a hot key", during() + each(REFUSED, "Table/gsi1", value=30), {"TableThrottled": (16, 16)}),
    ("a refund", during(FlaggedPayments=1), {"PaymentFlagged": (10, 20)}),
    ("a tick ends with a timeout, and so does its retry", during(TICK, ticks=False) + each(ERRORS, "ProbeTickFunction", end=FAULT + 2) + dead(999), {}),
    ("the table is busy for five minutes", during(TICK, CanaryFailures=1) + each(REFUSED, "Table", end=FAULT + 5, value=200)
     + each(FAILED, "Api", end=FAULT + 4) + each(ERRORS, "ProbeTickFunction", end=FAULT + 2) + dead(1, FAULT + 5), {}),
    ("a deployment", during(TICK, CanaryFailures=1, OldestUnindexedChange=1000) + each(ERRORS, "PublishFunction", end=FAULT + 2), {}),
    ("a night without requests", during(requests=0), {}),
    ("four errors in a night with 20 requests an hour", normal(requests=0) + each(CALLS, "Api", 3, 0, END) + each(FAILED, "Api", 9, end=FAULT + 36), {}),
    ("the first hour of a new stack", normal(FAULT, TICK, ticks=False) + normal(TICK, TICK + 6, CanaryFailures=1) + normal(TICK + 6), {}),
]  # fmt: skip

MISTAKES = [  # An alarm, the right text in it and a wrong one.
    ("CanaryFails", '"DatapointsToAlarm": 2', '"DatapointsToAlarm": 1'),
    ("CanaryFails", '"ignore"', '"notBreaching"'),
    ("ErrorsBurnFast", "IF(FILL(errors, 0) >= 5, errors / requests, 0)", "errors / requests"),
    ("NoTick", '"missing"', '"notBreaching"'),
    ("NoTick", '"missing"', '"breaching"'),
    ("NoTick", "InsufficientDataActions", "NoActions"),
    ("FunctionErrors", '"Threshold": 3', '"Threshold": 1'),
    ("WorkLags", '"DatapointsToAlarm": 2', '"DatapointsToAlarm": 1'),
    ("DeadLettersVisible", "ApproximateNumberOfMessagesVisible", "NumberOfMessagesSent"),
    ("DeadLettersVisible", "DIFF(FILL(visible, 0))", "FILL(visible, 0)"),
    ("TableThrottled", "SUM(FILL(METRICS(), 0))", "SUM(METRICS())"),
    ("PaymentFlagged", '"Threshold": 1', '"Threshold": 2'),
]

# Of the guide: values (0 is good, X breaches, the newest last), M of 3, and the states with each way to treat missing data.
TABLES = [("0-X-X", 3, "OOOO"), ("0----", 3, "OOOO"), ("-----", 3, "I=AO"), ("0XX-X", 3, "AAAA"), ("--X--", 3, "A=AO"),
          ("0-X-X", 2, "AAAA"), ("00X0X", 2, "AAAA"), ("0-X--", 2, "OOAO"), ("----0", 2, "OOAO"), ("---X-", 2, "A=AO")]  # fmt: skip


def problems(name, alarm, shown):
    for what, points, fires in SCENARIOS:
        sent = messages(alarm, points)
        fired = [minute for minute, state in sent if state != "OK"]
        cleared = [minute for minute, state in sent if state == "OK" and minute > FAULT]
        soon, later = fires.get(name, (0, 0))
        in_time = fired and fired[0] <= FAULT + soon and len(cleared) == 1 and max(REPAIR, fired[-1]) < cleared[0] <= REPAIR + later
        if (fired or name in fires) and not in_time:
            yield f"{name}: {what}: {sent}"
        elif fired:
            shown.append(f"{name:<18} fires after {fired[0] - FAULT:3} minutes, clears after {cleared[0] - REPAIR:2}: {what}")


resources = json.loads(Path(sys.argv[1]).read_text())["Resources"]
alarms = {name: resolved(r["Properties"]) for name, r in resources.items() if r["Type"] == "AWS::CloudWatch::Alarm"}
topics, shown = {name: alarm["AlarmActions"] for name, alarm in alarms.items()}, []
found = [] if topics == dict.fromkeys(PAGES, ["Pages"]) | dict.fromkeys(TICKETS, ["Tickets"]) else [f"other alarms or topics: {topics}"]
for values, enough, states in TABLES:
    for way, letter in zip(("missing", "ignore", "breaching", "notBreaching"), states):
        alarm = {"EvaluationPeriods": 3, "DatapointsToAlarm": enough, "TreatMissingData": way, "Threshold": 1, "ComparisonOperator": ""}
        if state([{"0": 0, "X": 1, "-": None}[value] for value in values], alarm, "=")[0] != letter:
            found.append(f"{values} with {way} is not {letter}")
for name, alarm in alarms.items():
    found += problems(name, alarm, shown)
    actions = {key: [f"arn:aws:sns:us-east-1:123456789012:{topic}" for topic in alarm.get(key, [])] for key in ACTIONS.values()}
    with mock_aws():
        boto3.client("cloudwatch", "us-east-1").put_metric_alarm(AlarmName=name, **alarm | actions)
for name, right, wrong in MISTAKES:
    text = json.dumps(alarms[name])
    if right not in text or not any(problems(name, json.loads(text.replace(right, wrong)), [])):
        found.append(f"no scenario finds {wrong} instead of {right} in {name}")
print("\n".join(shown))
sys.exit("\n".join(found) or None)
