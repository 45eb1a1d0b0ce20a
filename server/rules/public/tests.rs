//! Tests of files that are public by what they hold, and of those that are not.

use super::*;

fn block(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

#[test]
fn certificates_are_public_and_no_key_is_under_any_label() {
    let public = [0x30, 4, 0x30, 2, 5, 0];
    let key = [0x30, 4, 2, 1, 0, 5];
    let one = block("CERTIFICATE", &public);
    let bundle = format!(
        "# Issuer: CN=Some Root R1 O=Some\n# Serial: 41578283867086692638256921589707938090\n\n{one}{one}"
    );
    for open in [&one, &bundle, &one.replace('\n', "\r\n"), &block("PUBLIC KEY", &public)] {
        assert!(holds_only_certificates(open), "{open}");
    }
    for closed in [
        String::new(),
        "no certificate".to_owned(),
        format!("{one}{}", block("PRIVATE KEY", &public)),
        format!("{}{one}", block("RSA PRIVATE KEY", &key)),
        block("CERTIFICATE", &key),
        block("CERTIFICATE", &[&public[..], &key[..]].concat()),
        format!("{one}{}", STANDARD.encode([7; 60])),
        format!("{one}password: hunter2hunter2\n"),
        one.replace("-----END CERTIFICATE-----\n", ""),
        one.replace("-----BEGIN", "x -----BEGIN"),
        one.replace("\nM", "\n-----BEGIN PRIVATE KEY-----\nM"),
    ] {
        assert!(!holds_only_certificates(&closed), "{closed}");
    }
}

#[test]
fn settings_are_open_where_they_hold_no_secret() {
    for open in [
        "nodeLinker: node-modules\n\nyarnPath: .yarn/releases/yarn-4.1.0.cjs\nenableTelemetry: false\n",
        "registry=https://registry.example.com/npm/\nsave-exact=true\nstrict-ssl = true\nalways-auth=true\n",
        "//registry.example.com/:_authToken=${NPM_TOKEN}\n@scope:registry=https://npm.example.com\n",
        "npmScopes:\n  some:\n    npmRegistryServer: \"https://npm.example.com\"\n    npmAuthToken: \"${NPM_TOKEN-}\"\n",
        "plugins:\n  - checksum: 4b5a0c1fd0b0cda26a3fcc21d1f4bbb6a8ad6ab1e0d0cf8c2ac1ea35ca8b7c7a\n    path: .yarn/plugins/x.cjs\n",
        "",
    ] {
        assert!(holds_plain_settings(open), "{open}");
    }
    for closed in [
        "//registry.example.com/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789\n",
        "//registry.example.com/:_authToken=short\n",
        "_auth=dXNlcjpwYXNz\n",
        "npmAuthToken: ${NPM_TOKEN:-fallback}\n",
        "npmAuthToken:\n  short\n",
        "npmAuthToken: >-\n  short\n",
        "{npmAuthToken: short}\n",
        "# npmAuthToken: short\n",
        "registry=https://me:word@npm.example.com/\n",
        "_password=\"c2VjcmV0\"\n",
        "other: Zm9vYmFyYmF6cXV4MTIz\n",
        "key=\"-----BEGIN EC PRIVATE KEY-----\\nXXXX\"\n",
    ] {
        assert!(!holds_plain_settings(closed), "{closed}");
    }
}
