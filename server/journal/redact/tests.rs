//! What is a secret and what only looks like one.

use serde_json::json;

use super::{redact, redact_value};

/// A body that looks random: letters of both cases and digits.
fn body(length: usize) -> String {
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0".chars().cycle().take(length).collect()
}

#[test]
fn known_shapes_are_taken_out() {
    let upper = body(16).to_uppercase();
    let pem = format!("-----BEGIN {0}-----\n{1}\n{1}\n-----END {0}-----", "RSA PRIVATE KEY", body(64));
    let jwt = format!("{}.{}.{}", "eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", body(43));
    let cases: Vec<(&str, String)> = vec![
        ("aws-access-key", format!("{}{upper}", "AKIA")),
        ("aws-access-key", format!("{}{upper}", "ASIA")),
        ("github", format!("{}{}", "ghp_", body(36))),
        ("github", format!("{}{}", "gho_", body(36))),
        ("github", format!("{}{}", "ghs_", body(36))),
        ("github", format!("{}{}_{}", "github_pat_", body(22), body(59))),
        ("gitlab", format!("{}{}", "glpat-", body(20))),
        ("slack", format!("{}{}", "xoxb-", "1234567890-abcdefABCDEF")),
        ("slack", format!("{}{}", "xoxp-", "1234567890-abcdefABCDEF")),
        ("anthropic", format!("{}api03-{}", "sk-ant-", body(80))),
        ("openai", format!("{}{}", "sk-proj-", body(40))),
        ("openai", format!("{}{}", "sk-", body(48))),
        ("stripe", format!("{}{}", "sk_live_", body(24))),
        ("stripe", format!("{}{}", "rk_live_", body(24))),
        ("google", format!("{}{}", "AIza", body(35))),
        ("npm", format!("{}{}", "npm_", body(36))),
        ("pypi", format!("{}{}", "pypi-AgEIcHlwaS5vcmc", body(60))),
        ("hugging-face", format!("{}{}", "hf_", body(34))),
        ("sendgrid", format!("{}{}.{}", "SG.", body(22), body(43))),
        ("telegram", format!("123456789{}{}", ":AA", body(33))),
        ("discord", format!("M{}.{}.{}", body(23), body(6), body(27))),
        ("jwt", jwt),
        ("private-key", pem),
    ];
    for (kind, secret) in &cases {
        for (before, after) in
            [("", ""), ("x = \"", "\";"), ("see ", " there"), ("日本", "。"), ("(", ")"), ("\n", "\n")]
        {
            let clean = redact(&format!("{before}{secret}{after}")).into_owned();
            let mark = clean.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).unwrap_or(&clean);
            let four =
                mark.strip_prefix(&format!("[redacted:{kind}:")).and_then(|rest| rest.strip_suffix(']'));
            assert!(
                four.is_some_and(|four| four.len() == 4),
                "{kind}: {before}{secret}{after} became {clean}"
            );
        }
    }
}

#[test]
fn only_the_secret_goes() {
    let check = |text: &str, secret: &str, kind: &str| {
        let text = text.replace("{}", secret);
        let clean = redact(&text).into_owned();
        assert!(!clean.contains(secret), "{text} became {clean}");
        assert!(clean.contains(&format!("[redacted:{kind}:")), "{text} became {clean}");
        let kept = text.split(secret).collect::<Vec<_>>();
        assert!(clean.starts_with(kept[0]) && clean.ends_with(kept[kept.len() - 1]), "{text} became {clean}");
        assert_eq!(redact(&clean), clean, "a second time");
    };
    check("Authorization: Bearer {}", &body(24), "bearer");
    check("curl -H 'authorization: bearer {}' x", &body(24), "bearer");
    check("Authorization: Basic {}", "dXNlcjpwYXNzMTIz", "basic");
    check("postgres://app:{}@db.internal:5432/x", "s3cr3t-pw", "password");
    check("url = \"https://me:{}@host/x\"", "correct.horse", "password");
    check("password = \"{}\"", "hunter2hunter", "value");
    check("PASSWORD={}", "kX9f2mQ7vB1z", "value");
    check("{\"client_secret\": \"{}\"}".replace("{\"", "{ \"").as_str(), "Zk3-99aQp_x1", "value");
    check("API_KEY: {}\nnext: 1", "9f8e7d6c5b4a3210", "value");
    check("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1", "value");
    check("db_password: '{}'", "p4ssw0rd-x9", "value");
    check(
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x",
        &format!("{}==", body(86)),
        "azure",
    );
    check("https://hooks.slack.com/services/{}", "T00000000/B00000000/a1B2c3D4e5F6g7H8", "slack-webhook");
}

#[test]
fn ordinary_text_stays() {
    let hash = crate::base::hash::full(b"x");
    let texts = [
        "let token = lexer.next_token();",
        "token: TokenKind2,",
        "fn parse(token: &Token, secret: Option<String>) -> Result<Token2, Error1> {",
        "tokens.push(Token::new(TokenKind::Ident, span1..span2));",
        "let password = read_password(\"Enter password: \")?;",
        "\"password\": \"Enter your password\"",
        "password: <your password here 1>",
        "password = \"${DB_PASSWORD1}\"",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
        "const TOKEN = process.env.TOKEN_2;",
        "next_page_token: CAUQAA1234567890abc",
        "if token == expected_token_value1 {",
        "secret: SecretString::from(value1)",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "task-force-1234567890-abcdefghijklmnop",
        "sk-circle-fade-dot-animation-delay-0",
        "disk-1a2B3c4D5e6F7g8H9i0J",
        "https://example.com/a/b?x=1@2",
        "git@github.com:owner/repository.git",
        "ssh://git@github.com/owner/repo",
        "see http://localhost:8080/a@b",
        "eyJ is how a token begins",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "the bearer of this message",
        "bearer authentication-is-needed",
        "AKIAB",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "aGVsbG8gd29ybGQ=",
        "npm_config_registry and npm_package_version",
        "pypi-publish, hf_hub_download, r8_unorm, gsk_test",
        "1.234567.890",
        "a.b.c.d.e.f.g.h",
        "[redacted:github:1234]",
    ];
    for text in
        texts.iter().copied().chain([hash.as_str(), &hash[..32], &format!("expected_hash: \"{hash}\"")])
    {
        assert_eq!(redact(text), text);
    }
    let this = include_str!("assign.rs");
    assert_eq!(redact(this), this);
}

#[test]
fn under_a_telling_key_the_whole_string_goes() {
    let mut value = json!({
        "password": "x", "apiKey": "k", "access-token": "abc", "DB_PASSWORD": "y", "Authorization": "Basic z",
        "token": "", "secret": "${SECRET}", "tokens": 7, "password_hint": "dog", "token_count": "12",
        "list": [{ "client_secret": "s" }], "auth": { "token": ["kept"] },
    });
    redact_value(&mut value);
    let cut = |value: &serde_json::Value| {
        value.as_str().map(|text| text.split(':').take(2).collect::<Vec<_>>().join(":"))
    };
    let gone = Some("[redacted:value".to_owned());
    for key in ["password", "apiKey", "access-token", "DB_PASSWORD", "Authorization"] {
        assert_eq!(cut(&value[key]), gone, "{key}");
    }
    assert_eq!(cut(&value["list"][0]["client_secret"]), gone);
    for (key, kept) in
        [("token", ""), ("secret", "${SECRET}"), ("password_hint", "dog"), ("token_count", "12")]
    {
        assert_eq!(value[key], kept);
    }
}

#[test]
fn hostile_text_costs_no_more_than_its_length() {
    for part in [
        "sk-",
        "-eyJ",
        "://a:",
        "token=",
        "-----BEGIN PRIVATE KEY",
        ".",
        ".aaaaaa",
        "password: \"",
        "AKIA",
        "SG.a",
    ] {
        let text = part.repeat(10_000 / part.len());
        let start = std::time::Instant::now();
        let _ = redact(&text);
        assert!(start.elapsed().as_secs() < 5, "{part}: {:?}", start.elapsed());
    }
}
