"""Reads a translated template, with parameters where they matter."""

import json
import re
from fnmatch import fnmatchcase

ANY = "x-amazon-apigateway-any-method"


def of_type(template, kind):
    return {name: r.get("Properties", {}) for name, r in template["Resources"].items() if r["Type"] == kind}


def active(template, kind):
    """The resources of a type that exist with the default parameters."""
    return {
        name: properties
        for name, properties in of_type(template, kind).items()
        if "Condition" not in (resource := template["Resources"][name]) or evaluate({"Condition": resource["Condition"]}, template)
    }


def evaluate(value, template, **given):
    """The value with these parameters and the defaults of the others, outside us-east-1. A reference to a resource stays."""

    def inner(value):
        return evaluate(value, template, **given)

    if isinstance(value, list):
        return [item for item in map(inner, value) if item is not None]
    if not isinstance(value, dict):
        return value
    function, of = next(iter(value.items())) if len(value) == 1 else (None, None)
    match function:
        case "Ref":
            known = {"AWS::NoValue": None, "AWS::Region": "eu-west-1"}
            known |= {name: parameter.get("Default", "") for name, parameter in template["Parameters"].items()}
            return (known | given).get(of, value)
        case "Condition" if isinstance(of, str):
            return inner(template["Conditions"][of])
        case "Fn::If":
            return inner(of[1] if inner({"Condition": of[0]}) else of[2])
        case "Fn::Equals":
            return str(inner(of[0])) == str(inner(of[1]))
        case "Fn::Not":
            return not inner(of[0])
        case "Fn::And":
            return all(map(inner, of))
        case "Fn::Or":
            return any(map(inner, of))
        case "Fn::FindInMap":
            name, first, second = map(inner, of)
            return template["Mappings"][name][first][second]
    return {key: found for key, item in value.items() if (found := inner(item)) is not None}


def capacities(template):
    return template["Parameters"]["Capacity"]["AllowedValues"]


def function_of(reference, template):
    """The function of a reference to it or to its alias."""
    name = reference.get("Ref") or reference["Fn::GetAtt"][0]
    resource = template["Resources"][name]
    return function_of(resource["Properties"]["FunctionName"], template) if resource["Type"] == "AWS::Lambda::Alias" else name


def queues_with_readers(template):
    """Each queue that starts a function, with the function and the properties of the mapping."""
    for mapping in of_type(template, "AWS::Lambda::EventSourceMapping").values():
        yield mapping["EventSourceArn"]["Fn::GetAtt"][0], function_of(mapping["FunctionName"], template), mapping


def routes(template):
    """Each path with the function that answers it."""
    for api in of_type(template, "AWS::ApiGatewayV2::Api").values():
        for path, methods in api["Body"]["paths"].items():
            yield path, methods[ANY].get("x-amazon-apigateway-integration", {}).get("uri")


def statements(value):
    """The statements of all policies in the value."""
    if isinstance(value, dict) and "Effect" in value:
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from statements(item)


def as_list(value):
    return value if isinstance(value, list) else [value]


def allows(statement, action):
    patterns = as_list(statement.get("Action", "*"))
    return statement["Effect"] == "Allow" and any(fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns)


def mentions(value, name):
    return re.search(rf"\b{re.escape(name)}\b", json.dumps(value)) is not None
