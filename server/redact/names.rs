//! The class of an identifier: whether its value is a secret, and of which sort.

/// The certainty with which a name implies that its value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameClass {
    /// A password: any word may be one.
    Password,
    /// A secret: often made by a machine, now and then by a person.
    Secret,
    /// A token, a key, a session: made by a machine.
    Token,
}

/// Words in a text that a name of a secret holds.
pub(super) const NAMES: [&str; 23] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "cookie",
    "session",
    "mnemonic",
    "phrase",
    "jwt",
    "sid",
    "_pw",
    "-pw",
    "kennwort",
    "senha",
    "contrase",
    "wachtwoord",
    "otp",
    "signature",
    "salt",
    "psk",
];

/// Last words that say no more of the value than the words before them.
const NEUTRAL: [&str; 33] = [
    "value",
    "val",
    "data",
    "str",
    "string",
    "plain",
    "plaintext",
    "cleartext",
    "raw",
    "b64",
    "base64",
    "hex",
    "dev",
    "prod",
    "production",
    "staging",
    "test",
    "testing",
    "old",
    "new",
    "current",
    "confirm",
    "confirmation",
    "default",
    "backup",
    "main",
    "live",
    "local",
    "root",
    "admin",
    "user",
    "primary",
    "secondary",
];

/// Words before `key` that make it one.
const KEYED: [&str; 44] = [
    "api",
    "access",
    "private",
    "secret",
    "auth",
    "encryption",
    "encrypt",
    "decryption",
    "signing",
    "sign",
    "signature",
    "master",
    "account",
    "service",
    "shared",
    "preshared",
    "app",
    "application",
    "consumer",
    "license",
    "licence",
    "storage",
    "subscription",
    "admin",
    "deploy",
    "ssh",
    "pgp",
    "gpg",
    "hmac",
    "aes",
    "rsa",
    "ssl",
    "tls",
    "session",
    "token",
    "client",
    "webhook",
    "integration",
    "ingest",
    "ingestion",
    "deployment",
    "vault",
    "jwt",
    "cookie",
];

/// Words before a shouted `KEY` that make it none.
const UNKEYED: [&str; 24] = [
    "public",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "index",
    "row",
    "map",
    "group",
    "object",
    "lookup",
    "unique",
    "idempotency",
    "routing",
    "translation",
    "config",
    "registry",
    "hot",
    "host",
    "range",
    "hash",
    "order",
    "message",
];

/// Words before `token` that make it none: a place in a listing, a lexer's.
const UNTOKEN: [&str; 14] = [
    "page",
    "next",
    "continuation",
    "cursor",
    "sync",
    "previous",
    "prev",
    "last",
    "first",
    "resume",
    "start",
    "end",
    "max",
    "min",
];

/// Returns the class of an identifier, or `None` if it names no secret.
pub(super) fn class_of(name: &[u8]) -> Option<NameClass> {
    let Ok(name) = str::from_utf8(name) else { return None };
    let words = split_words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while words.len() > 1 && words.last().is_some_and(|last| is_neutral(last)) {
        words.pop();
    }
    let shouted = name.contains('_') && !name.bytes().any(|b| b.is_ascii_lowercase());
    let (last, before) = words.split_last()?;
    let before = before.last().copied().unwrap_or_default();
    of_words(name, last, before, shouted)
}

fn of_words(name: &str, last: &str, before: &str, shouted: bool) -> Option<NameClass> {
    const PASSWORDS: [&str; 12] = [
        "password",
        "passwort",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "kennwort",
        "senha",
        "contrasena",
        "wachtwoord",
        "passwords",
        "mnemonic",
    ];
    const KEYS: [&str; 10] = [
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "authkey",
        "signingkey",
        "encryptionkey",
        "masterkey",
        "sharedkey",
        "accountkey",
    ];
    if PASSWORDS.iter().any(|word| last.ends_with(word)) {
        return Some(NameClass::Password);
    }
    match last {
        // `PASS` alone is a word of tests, `pwd` alone is a folder.
        "pass" | "pw" if !before.is_empty() => return Some(NameClass::Password),
        "pass" | "pw" if name.bytes().any(|b| b.is_ascii_lowercase()) => return Some(NameClass::Secret),
        "phrase" if matches!(before, "seed" | "recovery" | "pass" | "secret") => {
            return Some(NameClass::Password);
        }
        "words" if matches!(before, "seed" | "recovery") => return Some(NameClass::Password),
        "key" if KEYED.contains(&before) => return Some(NameClass::Token),
        "key" if shouted && !before.is_empty() && !UNKEYED.contains(&before) => {
            return Some(NameClass::Token);
        }
        "keys" if matches!(before, "api" | "access" | "secret" | "private") => return Some(NameClass::Token),
        "auth" | "jwt" | "bearer" | "creds" | "credential" | "credentials" | "cookie" | "sessionid"
        | "phpsessid" | "jsessionid" | "otp" => return Some(NameClass::Token),
        "id" if before == "session" => return Some(NameClass::Token),
        // The id of a service account's key at Google, which is next to the key.
        "id" if before == "key" && name.to_ascii_lowercase().contains("private") => {
            return Some(NameClass::Token);
        }
        "psk" => return Some(NameClass::Password),
        // Rails' SECRET_KEY_BASE.
        "base" if before == "key" => return Some(NameClass::Token),
        "signature" | "salt" if shouted => return Some(NameClass::Token),
        _ => {}
    }
    if last.ends_with("secret") || last == "secrets" {
        return Some(NameClass::Secret);
    }
    let token = last.ends_with("token") || (last == "tokens" && matches!(before, "access" | "api" | "auth"));
    if (token && !UNTOKEN.contains(&before)) || KEYS.iter().any(|word| last.ends_with(word)) {
        return Some(NameClass::Token);
    }
    None
}

fn is_neutral(word: &str) -> bool {
    NEUTRAL.contains(&word) || word.bytes().all(|b| b.is_ascii_digit())
}

/// The words of `snake_case`, `kebab-case`, `camelCase`, `dotted.names` and `SHOUTED_ONES`, in lower case.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = b'_';
    for (at, byte) in name.bytes().enumerate() {
        let next_lower = name.as_bytes().get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let begins = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && next_lower));
        if !byte.is_ascii_alphanumeric() || begins {
            words.push(String::new());
        }
        if byte.is_ascii_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.push(char::from(byte.to_ascii_lowercase())));
        }
        before = byte;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a key of a mapping names a secret: the whole string below it is removed then.
pub(super) fn is_key(key: &str) -> bool {
    key.len() <= 64 && key.bytes().any(|b| b.is_ascii_alphabetic()) && {
        let quiet = key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let whole = [
            "authorization",
            "pwd",
            "pass",
            "auth",
            "cookie",
            "setcookie",
            "bearer",
            "connectionstring",
            "dsn",
            "apikey",
        ];
        whole.contains(&quiet.as_str())
            || quiet.ends_with("connectionstring")
            || matches!(
                class_of(key.as_bytes()),
                Some(NameClass::Password | NameClass::Secret | NameClass::Token)
            )
    }
}
