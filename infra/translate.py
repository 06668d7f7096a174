"""Translates the SAM template to CloudFormation: translate.py TEMPLATE OUT.

Only the CloudFormation template shows a wrong !Ref in the policy of a function. Neither cfn-lint nor `sam validate`
checks this in the SAM template.
"""

import json
import sys
from pathlib import Path

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

template = yaml_parse(Path(sys.argv[1]).read_text())
for resource in template["Resources"].values():
    if resource["Type"] == "AWS::Serverless::Function":
        # As `sam deploy` does after the upload of the code.
        resource["Properties"]["CodeUri"] = "s3://bucket/key.zip"

translated = Translator(managed_policy_map={}, sam_parser=Parser()).translate(template, {})
out = Path(sys.argv[2])
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text(json.dumps(translated, indent=1))
