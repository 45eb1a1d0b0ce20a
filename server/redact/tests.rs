//! Secrets, and texts that only look like one.

use std::path::{Path, PathBuf};

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
    let hash = crate::base::hash::full_hash(b"x");
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
        "match line.contains(\"--token=\") {",
        "if argument.starts_with('--password=').is_some() {",
    ];
    for text in
        texts.iter().copied().chain([hash.as_str(), &hash[..32], &format!("expected_hash: \"{hash}\"")])
    {
        assert_eq!(redact(text), text);
    }
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

/// A file of `tests/cases/secrets`, without its comments.
fn cases(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/secrets").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.starts_with("# ")).map(|line| format!("{line}\n")).collect()
}

/// The text without the marks that stand for secrets.
fn without_marks(clean: &str) -> String {
    let mut parts = clean.split("[redacted:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "…" + part.split_once(']').map_or("", |(_, rest)| rest))
}

#[test]
fn each_form_of_a_secret_goes() {
    let cases = cases("forms.txt");
    let mut left = Vec::new();
    for line in cases.lines() {
        let line = line.replace('·', "").replace('⏎', "\n");
        let text = line.replace(['«', '»'], "");
        let clean = redact(&text).into_owned();
        let left_over = without_marks(&clean);
        for secret in line.split('«').skip(1).filter_map(|part| part.split('»').next()) {
            let shown: Vec<char> = secret.chars().collect();
            let parts = shown.windows(5.min(shown.len())).map(|part| part.iter().collect::<String>());
            if parts.into_iter().any(|part| left_over.contains(&part)) {
                left.push(format!("{text:?} became {clean:?}"));
            }
        }
        let twice = redact(&clean);
        if twice != clean {
            left.push(format!("{clean:?} became {twice:?} the second time"));
        }
    }
    assert!(cases.lines().count() >= 100);
    assert!(left.is_empty(), "{} of {} forms:\n{}", left.len(), cases.lines().count(), left.join("\n"));
}

/// The texts of this repository that hold no examples of secrets.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    const HOLDING: [&str; 10] = [
        "redact",
        "tests.rs",
        "address.rs",
        "tests",
        "node_modules",
        "cases",
        "gitleaks.txt",
        "target",
        ".vscode-test",
        "out",
    ];
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if HOLDING.contains(&name.as_str()) {
            continue;
        }
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => sources(&entry.path(), found),
            kind if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

#[test]
fn code_and_prose_stay_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![
        root.join("README.md"),
        root.join("Cargo.lock"),
        root.join("Cargo.toml"),
        root.join("LICENSE-APACHE"),
    ];
    for folder in ["server", "editors", "schemas", "tests/bench", "tests/tidy"] {
        sources(&root.join(folder), &mut paths);
    }
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        texts.push((path.display().to_string(), text));
    }
    texts.push(("ordinary.txt".to_owned(), cases("ordinary.txt")));
    let by_line = cases("ordinary.txt");
    texts.extend(by_line.lines().map(|line| (line.to_owned(), line.to_owned())));
    let lines: usize = texts.iter().map(|(_, text)| text.lines().count()).sum();
    let mut hit = Vec::new();
    for (path, text) in &texts {
        let clean = redact(text);
        let changed = text.lines().zip(clean.lines()).filter(|(line, clean)| line != clean);
        hit.extend(changed.map(|(line, clean)| format!("{path}: {line} became {clean}")));
    }
    assert!(lines > 30_000, "{lines}");
    assert!(hit.is_empty(), "{} of {lines} lines:\n{}", hit.len(), hit.join("\n"));
}

#[test]
fn arguments_pairs_and_lists_are_seen() {
    let mut value = json!({
        "argv": ["app", "--password", "hunter", "--verbose", "--token=abcdefghijkl", "file"],
        "env": [{ "name": "DB_PASSWORD", "value": "hunter" }, { "name": "HOME", "value": "here" }],
        "passwords": ["one", "two"], "pin_password": 123456, "tokens": 4096,
    });
    redact_value(&mut value);
    let text = value.to_string();
    for gone in ["hunter", "abcdefghijkl", "one", "two", "123456"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    for kept in ["--verbose", "file", "HOME", "here", "4096"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}
