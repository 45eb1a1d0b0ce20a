//! Secrets that show themselves by how they begin.

use super::FoundSecret;

/// The characters of a secret's body.
#[derive(Clone, Copy, Debug)]
enum SecretBody {
    /// Upper-case letters and digits.
    Upper,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// The characters of base64 and its URL form.
    Base64,
    /// The characters of a URL's path.
    Path,
}

impl SecretBody {
    fn has_byte(self, b: u8) -> bool {
        match self {
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Url => b.is_ascii_alphanumeric() || b == b'_' || b == b'-',
            Self::Dotted => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'),
            Self::Path => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/' | b'@' | b'.'),
            Self::Base64 => {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%')
            }
        }
    }
}

/// The test that distinguishes the rest of a secret from other text.
#[derive(Clone, Copy, Debug)]
enum SecretRest {
    /// Exactly this number of characters.
    Exact(SecretBody, usize),
    /// At least this number of characters.
    Least(SecretBody, usize),
    /// At least this number, with a digit, an upper-case and a lower-case letter among them.
    Mixed(SecretBody, usize),
    /// As `Least`, if the word itself is no part of the secret.
    After(SecretBody, usize),
    /// As `After`, and it need not look random: the word is telling enough.
    Given(SecretBody, usize),
    /// Two further dotted parts: a JSON Web Token.
    Jwt,
    /// To the end of the key's block.
    Pem,
    /// The `secret` among a URL's arguments.
    Otp,
    /// A bot's number before it: a Telegram token.
    Telegram,
}

/// A kind of secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretShape {
    /// Its beginning.
    pub(super) word: &'static str,
    kind: &'static str,
    rest: SecretRest,
}

const fn shape_row(word: &'static str, kind: &'static str, rest: SecretRest) -> SecretShape {
    SecretShape { word, kind, rest }
}

use SecretBody::{Alnum, Base64, Dotted, Path, Upper, Url};
use SecretRest::{After, Exact, Given, Jwt, Least, Mixed, Otp, Pem, Telegram};

/// Every kind that is known by its beginning.
pub(super) const SHAPES: [SecretShape; 114] = [
    shape_row("AKIA", "aws-access-key", Exact(Upper, 16)),
    shape_row("ASIA", "aws-access-key", Exact(Upper, 16)),
    shape_row("ABIA", "aws-access-key", Exact(Upper, 16)),
    shape_row("ACCA", "aws-access-key", Exact(Upper, 16)),
    shape_row("ghp_", "github", Least(Alnum, 30)),
    shape_row("gho_", "github", Least(Alnum, 30)),
    shape_row("ghu_", "github", Least(Alnum, 30)),
    shape_row("ghs_", "github", Least(Dotted, 30)),
    shape_row("ghr_", "github", Least(Alnum, 30)),
    shape_row("github_pat_", "github", Least(Url, 22)),
    shape_row("glpat-", "gitlab", Least(Dotted, 20)),
    shape_row("gldt-", "gitlab", Least(Url, 20)),
    shape_row("glrt-", "gitlab", Least(Dotted, 20)),
    shape_row("glptt-", "gitlab", Least(Url, 20)),
    shape_row("glcbt-", "gitlab", Least(Url, 20)),
    shape_row("gloas-", "gitlab", Least(Url, 20)),
    shape_row("xoxb-", "slack", Least(Url, 10)),
    shape_row("xoxp-", "slack", Least(Url, 10)),
    shape_row("xoxa-", "slack", Least(Url, 10)),
    shape_row("xoxr-", "slack", Least(Url, 10)),
    shape_row("xoxs-", "slack", Least(Url, 10)),
    shape_row("xoxe-", "slack", Least(Url, 10)),
    shape_row("xoxe.", "slack", Least(Dotted, 10)),
    shape_row("xoxc-", "slack", Least(Url, 10)),
    shape_row("xoxd-", "slack", Least(Base64, 10)),
    shape_row("xapp-", "slack", Least(Url, 20)),
    shape_row("hooks.slack.com/services/", "slack-webhook", After(Base64, 20)),
    shape_row("sk-ant-", "anthropic", Least(Url, 20)),
    shape_row("sk-proj-", "openai", Mixed(Url, 20)),
    shape_row("sk-svcacct-", "openai", Mixed(Url, 20)),
    shape_row("sk-admin-", "openai", Mixed(Url, 20)),
    shape_row("sk-or-v1-", "openrouter", Least(Alnum, 32)),
    shape_row("sk-", "openai", Mixed(Url, 20)),
    shape_row("sk_live_", "stripe", Least(Alnum, 16)),
    shape_row("sk_test_", "stripe", Least(Alnum, 16)),
    shape_row("rk_live_", "stripe", Least(Alnum, 16)),
    shape_row("rk_test_", "stripe", Least(Alnum, 16)),
    shape_row("whsec_", "stripe", Least(Base64, 24)),
    shape_row("AIza", "google", Exact(Url, 35)),
    shape_row("GOCSPX-", "google", Least(Url, 20)),
    shape_row("ya29.", "google", Mixed(Dotted, 30)),
    shape_row("npm_", "npm", Exact(Alnum, 36)),
    shape_row("pypi-Ag", "pypi", Least(Url, 40)),
    shape_row("hf_", "hugging-face", Mixed(Alnum, 30)),
    shape_row("eyJ", "jwt", Jwt),
    shape_row("-----BEGIN ", "private-key", Pem),
    shape_row("PuTTY-User-Key-File-", "private-key", Pem),
    shape_row("AGE-SECRET-KEY-1", "age", Least(Alnum, 50)),
    shape_row("bearer ", "bearer", After(Base64, 16)),
    shape_row("authorization: basic ", "basic", Given(Base64, 8)),
    shape_row("authorization\": \"basic ", "basic", Given(Base64, 8)),
    shape_row("authorization: token ", "token", Given(Base64, 8)),
    shape_row(":AA", "telegram", Telegram),
    shape_row("discord.com/api/webhooks/", "discord-webhook", After(Base64, 40)),
    shape_row("discordapp.com/api/webhooks/", "discord-webhook", After(Base64, 40)),
    shape_row("AccountKey=", "azure", After(Base64, 40)),
    shape_row("SharedAccessKey=", "azure", After(Base64, 30)),
    shape_row("SharedAccessSignature=", "azure", After(Base64, 30)),
    shape_row("&sig=", "azure", After(Base64, 40)),
    shape_row("?sig=", "azure", After(Base64, 40)),
    shape_row("SG.", "sendgrid", Mixed(Dotted, 60)),
    shape_row("dop_v1_", "digitalocean", Least(Alnum, 60)),
    shape_row("shpat_", "shopify", Least(Alnum, 30)),
    shape_row("shpss_", "shopify", Least(Alnum, 30)),
    shape_row("sq0atp-", "square", Least(Url, 20)),
    shape_row("hvs.", "vault", Mixed(Url, 24)),
    shape_row("lin_api_", "linear", Least(Alnum, 30)),
    shape_row("figd_", "figma", Least(Url, 30)),
    shape_row("gsk_", "groq", Mixed(Alnum, 40)),
    shape_row("xai-", "xai", Mixed(Alnum, 60)),
    shape_row("pplx-", "perplexity", Least(Alnum, 40)),
    shape_row("r8_", "replicate", Mixed(Alnum, 36)),
    shape_row("ATATT3", "atlassian", Least(Base64, 50)),
    shape_row("glsa_", "grafana", Least(Url, 30)),
    shape_row("dckr_pat_", "docker", Least(Url, 20)),
    shape_row("ATCTT3", "atlassian", Least(Base64, 50)),
    shape_row("ATBB", "bitbucket", Mixed(Alnum, 28)),
    shape_row("nvapi-", "nvidia", Least(Url, 40)),
    shape_row("tvly-", "tavily", Least(Url, 20)),
    shape_row("1//0", "google", Least(Url, 35)),
    shape_row("sq0csp-", "square", Least(Url, 30)),
    shape_row("amzn.mws.", "amazon", Least(Url, 30)),
    shape_row("amzn1.oa2-cs.v1.", "amazon", Least(Alnum, 40)),
    shape_row("rzp_live_", "razorpay", Least(Alnum, 14)),
    shape_row("rzp_test_", "razorpay", Least(Alnum, 14)),
    shape_row("CFPAT-", "contentful", Least(Url, 40)),
    shape_row("secret_", "notion", Exact(Alnum, 43)),
    shape_row("ntn_", "notion", Least(Alnum, 40)),
    shape_row("phx_", "posthog", Least(Alnum, 40)),
    shape_row("sbp_", "supabase", Least(Alnum, 40)),
    shape_row("sb_secret_", "supabase", Least(Url, 20)),
    shape_row("re_", "resend", Mixed(Url, 30)),
    shape_row("tskey-", "tailscale", Least(Url, 20)),
    shape_row("lsv2_", "langsmith", Least(Url, 30)),
    shape_row("nfp_", "netlify", Least(Alnum, 36)),
    shape_row("bkua_", "buildkite", Least(Alnum, 40)),
    shape_row("CCIPAT_", "circleci", Least(Url, 40)),
    shape_row("dckr_oat_", "docker", Least(Url, 20)),
    shape_row("oy2", "nuget", Exact(Alnum, 43)),
    shape_row("AKCp", "jfrog", Least(Alnum, 60)),
    shape_row("cmVmdGtu", "jfrog", Least(Alnum, 50)),
    shape_row("key-", "mailgun", Exact(Alnum, 32)),
    shape_row("sl.", "dropbox", Least(Url, 100)),
    shape_row("ABSK", "aws", Least(Base64, 100)),
    shape_row("pat-na1-", "hubspot", Least(Url, 32)),
    shape_row("pat-eu1-", "hubspot", Least(Url, 32)),
    shape_row("X-Amz-Signature=", "signature", After(Alnum, 32)),
    shape_row("X-Goog-Signature=", "signature", After(Alnum, 32)),
    shape_row("X-Amz-Security-Token=", "signature", After(Base64, 40)),
    shape_row("&Signature=", "signature", After(Base64, 16)),
    shape_row("?Signature=", "signature", After(Base64, 16)),
    shape_row("webhook.office.com/", "webhook", After(Path, 60)),
    shape_row("otpauth://", "otp", Otp),
    shape_row("connect.sid=s%3A", "cookie", Given(Base64, 10)),
];

/// Secrets are shorter than this; a longer run is cut there.
const LONGEST: usize = 512;

impl SecretShape {
    /// The secret that begins with this shape's word at `start..end`, if it is one.
    pub(super) fn check(&self, text: &[u8], start: usize, end: usize) -> Option<FoundSecret> {
        let found = |start, end| Some(FoundSecret { kind: self.kind, start, end });
        let exact = &text[start..end] == self.word.as_bytes();
        let free = start == 0 || !(text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_');
        // Most words are recognized even with a letter directly before them.
        let fresh = free || self.word.len() > 3;
        match self.rest {
            After(body, least) => {
                let length = run_length(text, end, body);
                let guess = length >= least && is_mixed(&text[end..end + length], false);
                if guess { found(end, end + length) } else { None }
            }
            Given(body, least) => {
                let length = run_length(text, end, body);
                if length >= least { found(end, end + length) } else { None }
            }
            Telegram if exact => {
                let digits = text[..start].iter().rev().take_while(|b| b.is_ascii_digit()).count();
                let length = run_length(text, end, Url);
                if (8..=10).contains(&digits) && length == 33 {
                    found(start - digits, end + length)
                } else {
                    None
                }
            }
            Pem if exact => pem_end(text, end).and_then(|end| found(start, end)),
            Otp => otp_secret(text, end).and_then(|(start, end)| found(start, end)),
            _ if !exact => None,
            Mixed(..) if !free && self.word == "sk-" => {
                let length = run_length(text, end, Alnum);
                if length >= 40 { found(start, end + length) } else { None }
            }
            _ if !fresh => None,
            Exact(body, count) => {
                let length = run_length(text, end, body);
                if length == count { found(start, end + length) } else { None }
            }
            Least(body, least) => {
                let length = run_length(text, end, body);
                let guess = free || is_mixed(&text[end..end + length], false);
                if length >= least && guess { found(start, end + length) } else { None }
            }
            Mixed(body, least) => {
                let length = run_length(text, end, body);
                let guess = length >= least && is_mixed(&text[end..end + length], true);
                if guess { found(start, end + length) } else { None }
            }
            Jwt => jwt_end(text, end).and_then(|end| found(start, end)),
            Telegram | Pem => None,
        }
    }
}

fn run_length(text: &[u8], from: usize, body: SecretBody) -> usize {
    text[from..].iter().take(LONGEST).take_while(|b| body.has_byte(**b)).count()
}

/// Returns whether there are letters and digits, as in a random word; with `cases`, of both cases.
fn is_mixed(text: &[u8], cases: bool) -> bool {
    let any = |test: fn(&u8) -> bool| text.iter().any(test);
    let (upper, lower) = (any(u8::is_ascii_uppercase), any(u8::is_ascii_lowercase));
    any(u8::is_ascii_digit) && if cases { upper && lower } else { upper || lower }
}

/// The end of `header.payload.signature`, from inside the header.
fn jwt_end(text: &[u8], from: usize) -> Option<usize> {
    let header = from + run_length(text, from, Url);
    let payload = header + 1;
    if header - from < 8 || text.get(header) != Some(&b'.') || !text[payload..].starts_with(b"eyJ") {
        return None;
    }
    let long = |from: usize| {
        text[from.min(text.len())..].iter().take(1 << 14).take_while(|b| Url.has_byte(**b)).count()
    };
    let dot = payload + long(payload);
    let mut signature = dot + 1 + long(dot + 1);
    // An encrypted one has five parts.
    while text.get(signature) == Some(&b'.') && long(signature + 1) > 10 {
        signature += 1 + long(signature + 1);
    }
    (text.get(dot) == Some(&b'.') && signature - dot > 10).then_some(signature)
}

/// The `secret` of `otpauth://totp/…?secret=…`.
fn otp_secret(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 300)];
    let at = from + memchr::memmem::find(window, b"secret=")? + 7;
    let length = run_length(text, at, Alnum);
    (length >= 8).then_some((at, at + length))
}

/// The end of a private key's block; of a torn one, the end of what looks like its body.
fn pem_end(text: &[u8], from: usize) -> Option<usize> {
    let label = &text[from..text.len().min(from + 60)];
    let has = |what: &[u8]| label.windows(what.len()).any(|part| part == what);
    if !has(b"PRIVATE KEY") && !label.starts_with(b"2: ") && !label.starts_with(b"3: ") {
        return None;
    }
    let rest = &text[from..];
    let tail = b"PRIVATE KEY";
    let end = rest.windows(9).position(|part| part == b"-----END ").and_then(|at| {
        let label = at + rest[at..].windows(tail.len()).take(60).position(|part| part == tail)?;
        let dashes = label + rest[label..].windows(5).take(30).position(|part| part == b"-----")?;
        Some(from + dashes + 5)
    });
    Some(end.unwrap_or(text.len()))
}

/// Tokens that only their dots show: Discord's, of 24 to 28 characters, 6, and 27 or more; Airtable's, of `pat`, 14 characters,
/// and 64 digits in hexadecimal.
pub(super) fn dotted_tokens(text: &[u8]) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    for dot in memchr::memchr_iter(b'.', text) {
        if let Some(start) = dot.checked_sub(17).filter(|start| text[*start..].starts_with(b"pat"))
            && run_length(text, start, Alnum) == 17
            && text[dot + 1..].iter().take(65).take_while(|b| b.is_ascii_hexdigit()).count() == 64
        {
            found.push(FoundSecret { kind: "airtable", start, end: dot + 65 });
            continue;
        }
        if text.get(dot + 7) != Some(&b'.') || run_length(text, dot + 1, Url) != 6 {
            continue;
        }
        let head = text[..dot].iter().rev().take(40).take_while(|b| Url.has_byte(**b)).count();
        let tail = run_length(text, dot + 8, Url);
        let start = dot - head;
        if (23..=28).contains(&head) && (27..=45).contains(&tail) && matches!(text[start], b'M' | b'N' | b'O')
        {
            found.push(FoundSecret { kind: "discord", start, end: dot + 8 + tail });
        }
    }
    found
}
