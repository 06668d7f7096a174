//! Tests the reader of the template. The tests use the real template, and a small template that contains
//! every form that SAM allows.

use std::time::Duration;

use serde_json::json;

use super::{Cors, Queue, Route, Rule, Schedule, Template, TemplateError};

const SMALL: &str = r#"
Transform: AWS::Serverless-2016-10-31
Globals:
  Function: { Timeout: 15, Runtime: provided.al2023, Environment: { Variables: { TABLE_NAME: !Ref Table } } }
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      CorsConfiguration: { AllowOrigins: ["*"], AllowMethods: [GET, POST], AllowHeaders: [content-type], MaxAge: 600 }
  Table:
    Type: AWS::DynamoDB::Table
    Properties: { TableName: !Sub "${AWS::StackName}-table" }
  Publish:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: publish } }
    Properties:
      CodeUri: .
      Policies: [ { Statement: [ { Effect: Allow, Action: dynamodb:PutItem, Resource: !GetAtt Table.Arn } ] } ]
      Events:
        Publish: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /api/publish, Method: ANY } }
        Score: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /api/score, Method: get } }
  WellKnown:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: ../target/lambda/well-known/
      Events:
        Documents: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: "/.well-known/{proxy+}", Method: ANY } }
        Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }
  Tick:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: ../target/lambda/probe-tick
      Timeout: 60
      Events:
        Tick:
          Type: ScheduleV2
          Properties:
            ScheduleExpression: rate(6 minutes)
            Input: '{"job": "tick", "at": "<aws.scheduler.scheduled-time>"}'
        Queued:
          Type: EventBridgeRule
          Properties:
            EventBusName: !Ref Bus
            Pattern: { source: [registry], detail-type: [listing.queued] }
        Live:
          Type: SQS
          Properties: { Queue: !GetAtt Waiting.Arn }
  Waiting:
    Type: AWS::SQS::Queue
    Properties: { VisibilityTimeout: 180, RedrivePolicy: { maxReceiveCount: 10 } }
  LiveRule:
    Type: AWS::Events::Rule
    Properties:
      EventPattern: { source: [registry], detail-type: [listing.live] }
      Targets: [{ Id: Waiting, Arn: !GetAtt Waiting.Arn }]
  Quiet:
    Type: AWS::Serverless::Function
    Properties: { CodeUri: !Sub "${Somewhere}" }
"#;

fn route(method: Option<http::Method>, path: Option<&str>, function: &str) -> Route {
    Route { method, path: path.map(str::to_owned), function: function.to_owned() }
}

#[test]
fn parser_finds_routes_schedules_rules_and_cors_settings() {
    let template = Template::parse(SMALL).unwrap();
    assert_eq!(
        template.routes,
        [
            route(None, Some("/api/publish"), "publish"),
            route(Some(http::Method::GET), Some("/api/score"), "publish"),
            route(None, Some("/.well-known/{proxy+}"), "well-known"),
            route(None, None, "well-known"),
        ]
    );
    let tick = Schedule {
        function: "probe-tick".to_owned(),
        every: Duration::from_secs(360),
        input: Some(json!({ "job": "tick", "at": "<aws.scheduler.scheduled-time>" })),
    };
    assert_eq!(template.schedules, [tick]);
    let queued = Rule {
        function: "probe-tick".to_owned(),
        source: vec!["registry".to_owned()],
        detail_type: vec!["listing.queued".to_owned()],
        queue: None,
    };
    let waiting = Rule {
        detail_type: vec!["listing.live".to_owned()],
        queue: Some(Queue { visibility_timeout: Duration::from_secs(180), max_receives: 10 }),
        ..queued.clone()
    };
    assert_eq!(template.rules, [queued, waiting]);
    let cors = Cors {
        origins: vec!["*".to_owned()],
        methods: vec!["GET".to_owned(), "POST".to_owned()],
        headers: vec!["content-type".to_owned()],
        exposed: Vec::new(),
        max_age: Some(600),
    };
    assert_eq!(template.cors, Some(cors));
    let timeouts = ["publish", "probe-tick"].map(|function| template.timeout(function).as_secs());
    assert_eq!(timeouts, [15, 60], "the global timeout, unless a function sets its own");
    let without_global = Template::parse(&SMALL.replace("Timeout: 15, ", "")).unwrap();
    assert_eq!(without_global.timeout("publish").as_secs(), 3);
}

fn refused(from: &str, to: &str) -> String {
    let changed = SMALL.replace(from, to);
    assert_ne!(changed, SMALL, "{from} is not in the template");
    Template::parse(&changed).unwrap_err().to_string()
}

#[test]
fn unsupported_events_are_errors() {
    assert_eq!(
        refused("rate(6 minutes)", "rate(6 minute)"),
        r#"event Tick of function Tick: "rate(6 minute)" is not `rate(<number> <unit>)`"#
    );
    assert_eq!(
        refused("Path: /api/score", "Path: !Ref Score"),
        "event Score of function Publish: Path is missing or invalid"
    );
    assert_eq!(
        refused("Path: /api/score", "Path: /api/score/"),
        "event Score of function Publish: Path is missing or invalid"
    );
    assert_eq!(
        refused("Method: get }", "Other: get }"),
        "event Score of function Publish: Method is missing or invalid"
    );
    assert_eq!(
        refused(r#"'{"job""#, r#"'{job""#),
        "event Tick of function Tick: Input is missing or invalid"
    );
    assert_eq!(
        refused("Pattern: { source: [registry], detail-type: [listing.queued]", "Pattern: { resources: [x]"),
        "event Queued of function Tick: Pattern is missing or invalid"
    );
    assert_eq!(
        refused("Type: EventBridgeRule", "Type: SNS"),
        "event Queued of function Tick: type SNS is not supported by the local registry"
    );
    assert_eq!(
        refused("Queue: !GetAtt Waiting.Arn", "Queue: !GetAtt Other.Arn"),
        "event Live of function Tick: Queue is missing or invalid"
    );
    for (from, to) in
        [("VisibilityTimeout: 180,", ""), ("EventPattern: { source:", "EventPattern: { account:")]
    {
        assert_eq!(refused(from, to), "rule LiveRule has an unsupported pattern or target");
    }
    assert_eq!(
        refused("CodeUri: ../target/lambda/probe-tick", "CodeUri: ."),
        "the template does not say which crate is the code of function Tick; set Metadata.BuildProperties.Binary or CodeUri"
    );
    assert_eq!(refused("Resources:", "Resource:"), "the template has no Resources");
    assert!(matches!(Template::parse("a: [").unwrap_err(), TemplateError::Yaml(_)));
}

#[test]
fn real_template_is_supported() {
    let template = Template::own().unwrap();
    let has_path = |path: &str| template.routes.iter().any(|route| route.path.as_deref() == Some(path));
    assert!(has_path("/api/publish") && has_path("/api/listings/active"), "{:?}", template.routes);
    assert!(template.routes.iter().any(|route| route.path.is_none()), "no $default route");
    assert!(template.schedules.iter().any(|schedule| schedule.function == "probe-tick"));
    assert!(template.rules.iter().any(|rule| rule.detail_type.iter().any(|kind| kind == "listing.queued")));
}
