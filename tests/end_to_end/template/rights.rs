//! Tests the policies of the functions. The rights on the table are generated; no function may have more permissions than it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use insta::assert_snapshot;
use tests::aws_endpoints::Act;
use tests::prelude::*;
use tests::rights::{self, Access, RIGHTS};
use tests::template::{TEMPLATE, root, texts};
use tests::test_registry::snapshot_of;

/// The lines of the template around the generated statements of a function.
const BEGIN: &str = "              # Rights of ";
const END: &str = "              # End of the rights.";

/// The statements of a function, made from [`RIGHTS`].
fn statements(function: &str) -> String {
    let mut kinds: Vec<(Vec<Access>, Vec<&str>)> = Vec::new();
    for access in Access::ALL {
        let partitions = rights::partitions(function, access);
        if partitions.is_empty() {
            continue;
        }
        match kinds.iter_mut().find(|(kinds, of)| *of == partitions && kinds[0].index() == access.index()) {
            Some((kinds, _)) => kinds.push(access),
            None => kinds.push((vec![access], partitions)),
        }
    }
    let mut text = String::new();
    for (accesses, partitions) in kinds {
        let mut name = String::new();
        for access in &accesses {
            let word = access.as_str();
            name += &word[..1].to_uppercase();
            name += &word[1..];
        }
        let actions: Vec<&str> = accesses.iter().flat_map(|access| access.actions()).copied().collect();
        let resource = match accesses[0].index() {
            None => "!GetAtt TableArn.Value".to_owned(),
            Some(index) => format!("!Sub \"${{TableArn.Value}}/index/{index}\""),
        };
        write!(
            text,
            "              - {{ Sid: {name}, Effect: Allow, Action: {actions:?}, Resource: {resource},\n                  \
             Condition: {{ \"Null\": {{ \"dynamodb:LeadingKeys\": \"false\" }}, \"ForAllValues:StringLike\": {{ \
             \"dynamodb:LeadingKeys\":\n{} }} }} }}\n",
            wrapped(&partitions),
        )
        .unwrap();
    }
    text
}

/// A list in brackets, on lines of at most 130 characters.
fn wrapped(partitions: &[&str]) -> String {
    const INDENT: &str = "                    ";
    let mut lines = vec![format!("{INDENT}[")];
    for (number, partition) in partitions.iter().enumerate() {
        let end = if number + 1 == partitions.len() { "]" } else { "," };
        let item = format!("\"{partition}\"{end}");
        let line = lines.last_mut().unwrap();
        if line.len() + 1 + item.len() > 130 {
            lines.push(format!("{INDENT} {item}"));
        } else {
            if !line.ends_with('[') {
                line.push(' ');
            }
            line.push_str(&item);
        }
    }
    lines.join("\n")
}

/// With UPDATE=1 the statements in the template are written.
#[test]
fn policies_are_generated() {
    let file = root().join("infra/template.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let (mut current, mut functions, mut skips) = (String::new(), BTreeSet::new(), false);
    for line in text.lines() {
        skips &= line != END;
        if !skips {
            current += line;
            current.push('\n');
        }
        if let Some(rest) = line.strip_prefix(BEGIN) {
            let function = rest.split([',', ' ']).next().unwrap();
            current += &statements(function);
            functions.insert(function);
            skips = true;
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, &current).unwrap();
    } else {
        assert!(text == current, "run `UPDATE=1 cargo test -p tests template::`");
    }
    assert!(functions.into_iter().eq(TEMPLATE.functions().into_keys()));
}

/// Every function with every access to every kind of partition.
#[test]
fn policies_allow_exactly_the_rights_of_the_table() {
    let mut samples = BTreeSet::from(["ELSE#x".to_owned()]);
    for (partitions, ..) in RIGHTS.iter() {
        let text = partitions.strip_suffix('*').unwrap_or(partitions);
        samples.extend([
            partitions.replace('*', "x"),
            format!("{text}x"),
            text.trim_end_matches('#').to_owned(),
        ]);
    }
    let mut checked = 0;
    for function in TEMPLATE.functions().into_keys() {
        for (access, sample) in
            Access::ALL.iter().flat_map(|access| samples.iter().map(move |s| (*access, s)))
        {
            let allowed = rights::permits(function, access, sample).is_some();
            for action in access.actions() {
                let index = access.index().map(str::to_owned);
                let act = Act { action, index, partition: sample.clone() };
                assert_eq!(TEMPLATE.permits(function, &act), allowed, "{function}: {act:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 10_000, "{checked} combinations");
    let functions: BTreeSet<&str> = RIGHTS.iter().flat_map(|(.., functions)| functions.split(' ')).collect();
    assert_eq!(functions, TEMPLATE.functions().into_keys().collect(), "functions with rights");
}

/// `infra/limits.py` checks what does not depend on this table: resources and sizes.
#[test]
fn statements_about_the_table_are_limited_to_partitions() {
    let roles = TEMPLATE.resources("AWS::IAM::Role");
    assert!(roles.values().all(|role| role["Properties"]["Policies"].as_array().unwrap().len() == 1));
    for (function, properties) in TEMPLATE.functions() {
        assert!(properties.get("Policies").is_none(), "{function} has rights outside its role");
        for statement in TEMPLATE.statements(function) {
            // A statement that depends on a parameter; without the parameter there is no statement.
            let statement = statement.get("Fn::If").map_or(statement, |choice| &choice[1]);
            let actions = texts(&statement["Action"]);
            assert!(!actions.is_empty() && actions.iter().all(|action| !action.contains('*')), "{statement}");
            if actions == ["dynamodb:Scan"] {
                assert_eq!(function, "operator", "only an erasure reads the whole table");
            } else if actions[0].starts_with("dynamodb:") {
                let condition = &statement["Condition"];
                assert_eq!(condition["Null"]["dynamodb:LeadingKeys"], "false", "{function}: {statement}");
                let partitions = texts(&condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]);
                assert!(!partitions.is_empty(), "{function}: {statement}");
                assert!(partitions.iter().all(|partition| partition.len() > 2), "{function}: {statement}");
            }
        }
    }
}

/// The partitions that matter most.
const SENSITIVE: &str = "KEY#ES256 KEY#LOG KEY#MESSAGE TOKEN#x CODE#x PURCHASE#x PAYMENT#x SEAT#x CALLER_KEYS FEEDBACK#x \
    CHALLENGE#x CONTACT#x LOG#PENDING LOG#TREE LOG#tile/0/000 INDEX#00";

/// A second list, so that a change of the rights of these partitions is a decision and not a side effect.
#[test]
fn sensitive_partitions_are_open_only_to_the_functions_that_need_them() {
    let mut open = BTreeMap::new();
    for partition in SENSITIVE.split(' ') {
        let may = |actions: &[&'static str]| -> Vec<&str> {
            let allowed = |function: &&str| {
                actions.iter().any(|action| TEMPLATE.permits(function, &act(action, partition)))
            };
            TEMPLATE.functions().into_keys().filter(allowed).collect()
        };
        let reads =
            ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:ConditionCheckItem"];
        let writes = ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"];
        open.insert(partition, json!({ "read": may(&reads).join(" "), "write": may(&writes).join(" ") }));
    }
    assert_snapshot!(snapshot_of(&json!(open), &[]));
}

/// A search in `well-known` is rare, and `search-index` does not search.
#[test]
fn functions_that_search_load_the_index_at_their_start() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../functions");
    for function in TEMPLATE.functions().into_keys() {
        let main = std::fs::read_to_string(folder.join(function).join("src/main.rs")).unwrap();
        let searches = TEMPLATE.permits(function, &act("dynamodb:BatchGetItem", "INDEX#00"))
            && !["well-known", "search-index"].contains(&function);
        assert_eq!(main.contains("Preload::SEARCH_INDEX"), searches, "{function}");
    }
}

fn act(action: &'static str, partition: &str) -> Act {
    Act { action, index: None, partition: partition.to_owned() }
}

/// The secrets with what names them in variables and policies, and the keys in KMS with their settings.
const SECRETS: [(&str, &str); 5] = [
    ("PROXY_SECRET", "ProxySecret"),
    ("OPERATOR_TOKEN", "OperatorToken"),
    ("STRIPE_SECRET_KEY", "${StripeSecrets}/key"),
    ("STRIPE_WEBHOOK_SECRET", "${StripeSecrets}/webhook"),
    ("SEARCH_BACKEND_TOKEN", "SearchBackendSecret"),
];
const KMS_KEYS: [(&str, &str); 3] =
    [("SIGNING_KEY_ID", "SigningKey"), ("MESSAGE_KEY_ID", "MessageKey"), ("LOG_KEY_ID", "LogKey")];

/// The functions with a variable, which must be those whose policies allow it.
fn with_variable(variable: &str, allowed: &str) -> String {
    let mut readers = Vec::new();
    for (function, properties) in TEMPLATE.functions() {
        let reads = properties["Environment"]["Variables"].get(variable).is_some();
        let may = json!(TEMPLATE.statements(function)).to_string().contains(allowed);
        assert_eq!(may, reads, "{function}: {variable}");
        readers.extend(reads.then_some(function));
    }
    readers.join(" ")
}

#[test]
fn secrets_are_read_by_name_and_only_by_functions_that_need_them() {
    let mut readers = BTreeMap::new();
    for (setting, secret) in SECRETS {
        let from = format!("{setting}_FROM");
        for (function, properties) in TEMPLATE.functions() {
            let variables = &properties["Environment"]["Variables"];
            assert!(variables.get(setting).is_none(), "{function}: {setting} is in the environment");
            let reads = variables.get(&from).is_none_or(|name| name.to_string().contains(secret));
            assert!(reads, "{function}: {setting}");
        }
        assert!(TEMPLATE.common()["Environment"]["Variables"].get(setting).is_none());
        readers.insert(setting, with_variable(&from, secret));
    }
    assert_snapshot!(snapshot_of(&json!(readers), &[]));
}

#[test]
fn only_functions_that_need_it_may_use_a_key_of_kms() {
    let users = KMS_KEYS.map(|(setting, key)| (setting, with_variable(setting, &format!("{key}.Arn"))));
    assert_snapshot!(snapshot_of(&json!(BTreeMap::from(users)), &[]));
}
