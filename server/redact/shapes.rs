//! Secrets that show themselves by how they begin.

use super::Found;

/// What may stand in a secret's body.
#[derive(Clone, Copy, Debug)]
enum Body {
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
    /// Those of a URL's path.
    Path,
}

impl Body {
    fn has(self, b: u8) -> bool {
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

/// How the rest of a secret is told from other text.
#[derive(Clone, Copy, Debug)]
enum Rest {
    /// So many characters, no more and no less.
    Exact(Body, usize),
    /// At least so many.
    Least(Body, usize),
    /// At least so many, with a digit, an upper-case and a lower-case letter among them.
    Mixed(Body, usize),
    /// As `Least`, where the word itself is no part of the secret.
    After(Body, usize),
    /// As `After`, and it need not look random: the word says enough.
    Given(Body, usize),
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
pub(super) struct Shape {
    /// What it begins with.
    pub(super) word: &'static str,
    kind: &'static str,
    rest: Rest,
}

const fn shape(word: &'static str, kind: &'static str, rest: Rest) -> Shape {
    Shape { word, kind, rest }
}

use Body::{Alnum, Base64, Dotted, Path, Upper, Url};
use Rest::{After, Exact, Given, Jwt, Least, Mixed, Otp, Pem, Telegram};

/// Every kind that is known by its beginning.
pub(super) const SHAPES: [Shape; 113] = [
    shape("AKIA", "aws-access-key", Exact(Upper, 16)),
    shape("ASIA", "aws-access-key", Exact(Upper, 16)),
    shape("ABIA", "aws-access-key", Exact(Upper, 16)),
    shape("ACCA", "aws-access-key", Exact(Upper, 16)),
    shape("ghp_", "github", Least(Alnum, 30)),
    shape("gho_", "github", Least(Alnum, 30)),
    shape("ghu_", "github", Least(Alnum, 30)),
    shape("ghs_", "github", Least(Dotted, 30)),
    shape("ghr_", "github", Least(Alnum, 30)),
    shape("github_pat_", "github", Least(Url, 22)),
    shape("glpat-", "gitlab", Least(Dotted, 20)),
    shape("gldt-", "gitlab", Least(Url, 20)),
    shape("glrt-", "gitlab", Least(Dotted, 20)),
    shape("glptt-", "gitlab", Least(Url, 20)),
    shape("glcbt-", "gitlab", Least(Url, 20)),
    shape("gloas-", "gitlab", Least(Url, 20)),
    shape("xoxb-", "slack", Least(Url, 10)),
    shape("xoxp-", "slack", Least(Url, 10)),
    shape("xoxa-", "slack", Least(Url, 10)),
    shape("xoxr-", "slack", Least(Url, 10)),
    shape("xoxs-", "slack", Least(Url, 10)),
    shape("xoxe-", "slack", Least(Url, 10)),
    shape("xoxe.", "slack", Least(Dotted, 10)),
    shape("xoxc-", "slack", Least(Url, 10)),
    shape("xoxd-", "slack", Least(Base64, 10)),
    shape("xapp-", "slack", Least(Url, 20)),
    shape("hooks.slack.com/services/", "slack-webhook", After(Base64, 20)),
    shape("sk-ant-", "anthropic", Least(Url, 20)),
    shape("sk-proj-", "openai", Mixed(Url, 20)),
    shape("sk-svcacct-", "openai", Mixed(Url, 20)),
    shape("sk-admin-", "openai", Mixed(Url, 20)),
    shape("sk-or-v1-", "openrouter", Least(Alnum, 32)),
    shape("sk-", "openai", Mixed(Url, 20)),
    shape("sk_live_", "stripe", Least(Alnum, 16)),
    shape("sk_test_", "stripe", Least(Alnum, 16)),
    shape("rk_live_", "stripe", Least(Alnum, 16)),
    shape("rk_test_", "stripe", Least(Alnum, 16)),
    shape("whsec_", "stripe", Least(Base64, 24)),
    shape("AIza", "google", Exact(Url, 35)),
    shape("GOCSPX-", "google", Least(Url, 20)),
    shape("ya29.", "google", Mixed(Dotted, 30)),
    shape("npm_", "npm", Exact(Alnum, 36)),
    shape("pypi-Ag", "pypi", Least(Url, 40)),
    shape("hf_", "hugging-face", Mixed(Alnum, 30)),
    shape("eyJ", "jwt", Jwt),
    shape("-----BEGIN ", "private-key", Pem),
    shape("PuTTY-User-Key-File-", "private-key", Pem),
    shape("AGE-SECRET-KEY-1", "age", Least(Alnum, 50)),
    shape("bearer ", "bearer", After(Base64, 16)),
    shape("authorization: basic ", "basic", Given(Base64, 8)),
    shape("authorization\": \"basic ", "basic", Given(Base64, 8)),
    shape("authorization: token ", "token", Given(Base64, 8)),
    shape(":AA", "telegram", Telegram),
    shape("discord.com/api/webhooks/", "discord-webhook", After(Base64, 40)),
    shape("discordapp.com/api/webhooks/", "discord-webhook", After(Base64, 40)),
    shape("AccountKey=", "azure", After(Base64, 40)),
    shape("SharedAccessKey=", "azure", After(Base64, 30)),
    shape("SharedAccessSignature=", "azure", After(Base64, 30)),
    shape("&sig=", "azure", After(Base64, 40)),
    shape("?sig=", "azure", After(Base64, 40)),
    shape("SG.", "sendgrid", Mixed(Dotted, 60)),
    shape("dop_v1_", "digitalocean", Least(Alnum, 60)),
    shape("shpat_", "shopify", Least(Alnum, 30)),
    shape("shpss_", "shopify", Least(Alnum, 30)),
    shape("sq0atp-", "square", Least(Url, 20)),
    shape("hvs.", "vault", Mixed(Url, 24)),
    shape("lin_api_", "linear", Least(Alnum, 30)),
    shape("figd_", "figma", Least(Url, 30)),
    shape("gsk_", "groq", Mixed(Alnum, 40)),
    shape("xai-", "xai", Mixed(Alnum, 60)),
    shape("pplx-", "perplexity", Least(Alnum, 40)),
    shape("r8_", "replicate", Mixed(Alnum, 36)),
    shape("ATATT3", "atlassian", Least(Base64, 50)),
    shape("glsa_", "grafana", Least(Url, 30)),
    shape("dckr_pat_", "docker", Least(Url, 20)),
    shape("ATCTT3", "atlassian", Least(Base64, 50)),
    shape("ATBB", "bitbucket", Mixed(Alnum, 28)),
    shape("nvapi-", "nvidia", Least(Url, 40)),
    shape("tvly-", "tavily", Least(Url, 20)),
    shape("1//0", "google", Least(Url, 35)),
    shape("sq0csp-", "square", Least(Url, 30)),
    shape("amzn.mws.", "amazon", Least(Url, 30)),
    shape("amzn1.oa2-cs.v1.", "amazon", Least(Alnum, 40)),
    shape("rzp_live_", "razorpay", Least(Alnum, 14)),
    shape("rzp_test_", "razorpay", Least(Alnum, 14)),
    shape("CFPAT-", "contentful", Least(Url, 40)),
    shape("secret_", "notion", Exact(Alnum, 43)),
    shape("ntn_", "notion", Least(Alnum, 40)),
    shape("phx_", "posthog", Least(Alnum, 40)),
    shape("sbp_", "supabase", Least(Alnum, 40)),
    shape("sb_secret_", "supabase", Least(Url, 20)),
    shape("re_", "resend", Mixed(Url, 30)),
    shape("tskey-", "tailscale", Least(Url, 20)),
    shape("lsv2_", "langsmith", Least(Url, 30)),
    shape("nfp_", "netlify", Least(Alnum, 36)),
    shape("bkua_", "buildkite", Least(Alnum, 40)),
    shape("CCIPAT_", "circleci", Least(Url, 40)),
    shape("dckr_oat_", "docker", Least(Url, 20)),
    shape("oy2", "nuget", Exact(Alnum, 43)),
    shape("AKCp", "jfrog", Least(Alnum, 60)),
    shape("cmVmdGtu", "jfrog", Least(Alnum, 50)),
    shape("key-", "mailgun", Exact(Alnum, 32)),
    shape("sl.", "dropbox", Least(Url, 100)),
    shape("ABSK", "aws", Least(Base64, 100)),
    shape("pat-na1-", "hubspot", Least(Url, 32)),
    shape("pat-eu1-", "hubspot", Least(Url, 32)),
    shape("X-Amz-Signature=", "signature", After(Alnum, 32)),
    shape("X-Goog-Signature=", "signature", After(Alnum, 32)),
    shape("X-Amz-Security-Token=", "signature", After(Base64, 40)),
    shape("&Signature=", "signature", After(Base64, 16)),
    shape("?Signature=", "signature", After(Base64, 16)),
    shape("webhook.office.com/", "webhook", After(Path, 60)),
    shape("otpauth://", "otp", Otp),
];

/// Secrets are shorter than this; a longer run is cut there.
const LONGEST: usize = 512;

impl Shape {
    /// The secret that begins with this shape's word at `start..end`, if it is one.
    pub(super) fn check(&self, text: &[u8], start: usize, end: usize) -> Option<Found> {
        let found = |start, end| Some(Found { kind: self.kind, start, end });
        let exact = &text[start..end] == self.word.as_bytes();
        let free = start == 0 || !(text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_');
        // Most words are told apart from others even where a letter is glued to them.
        let fresh = free || self.word.len() > 3;
        match self.rest {
            After(body, least) => {
                let length = run(text, end, body);
                let guess = length >= least && is_mixed(&text[end..end + length], false);
                if guess { found(end, end + length) } else { None }
            }
            Given(body, least) => {
                let length = run(text, end, body);
                if length >= least { found(end, end + length) } else { None }
            }
            Telegram if exact => {
                let digits = text[..start].iter().rev().take_while(|b| b.is_ascii_digit()).count();
                let length = run(text, end, Url);
                if (8..=10).contains(&digits) && length == 33 {
                    found(start - digits, end + length)
                } else {
                    None
                }
            }
            Pem if exact => pem(text, end).and_then(|end| found(start, end)),
            Otp => otp(text, end).and_then(|(start, end)| found(start, end)),
            _ if !exact => None,
            Mixed(..) if !free && self.word == "sk-" => {
                let length = run(text, end, Alnum);
                if length >= 40 { found(start, end + length) } else { None }
            }
            _ if !fresh => None,
            Exact(body, count) => {
                let length = run(text, end, body);
                if length == count { found(start, end + length) } else { None }
            }
            Least(body, least) => {
                let length = run(text, end, body);
                let guess = free || is_mixed(&text[end..end + length], false);
                if length >= least && guess { found(start, end + length) } else { None }
            }
            Mixed(body, least) => {
                let length = run(text, end, body);
                let guess = length >= least && is_mixed(&text[end..end + length], true);
                if guess { found(start, end + length) } else { None }
            }
            Jwt => jwt(text, end).and_then(|end| found(start, end)),
            Telegram | Pem => None,
        }
    }
}

fn run(text: &[u8], from: usize, body: Body) -> usize {
    text[from..].iter().take(LONGEST).take_while(|b| body.has(**b)).count()
}

/// Whether there are letters and digits, as in a random word; with `cases`, of both cases.
fn is_mixed(text: &[u8], cases: bool) -> bool {
    let any = |test: fn(&u8) -> bool| text.iter().any(test);
    let (upper, lower) = (any(u8::is_ascii_uppercase), any(u8::is_ascii_lowercase));
    any(u8::is_ascii_digit) && if cases { upper && lower } else { upper || lower }
}

/// The end of `header.payload.signature`, from inside the header.
fn jwt(text: &[u8], from: usize) -> Option<usize> {
    let header = from + run(text, from, Url);
    let payload = header + 1;
    if header - from < 8 || text.get(header) != Some(&b'.') || !text[payload..].starts_with(b"eyJ") {
        return None;
    }
    let long =
        |from: usize| text[from.min(text.len())..].iter().take(1 << 14).take_while(|b| Url.has(**b)).count();
    let dot = payload + long(payload);
    let mut signature = dot + 1 + long(dot + 1);
    // An encrypted one has five parts.
    while text.get(signature) == Some(&b'.') && long(signature + 1) > 10 {
        signature += 1 + long(signature + 1);
    }
    (text.get(dot) == Some(&b'.') && signature - dot > 10).then_some(signature)
}

/// The `secret` of `otpauth://totp/…?secret=…`.
fn otp(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 300)];
    let at = from + memchr::memmem::find(window, b"secret=")? + 7;
    let length = run(text, at, Alnum);
    (length >= 8).then_some((at, at + length))
}

/// The end of a private key's block; of a torn one, the end of what looks like its body.
fn pem(text: &[u8], from: usize) -> Option<usize> {
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

/// Discord's bot tokens, which only their dots show: 24 to 28 characters, 6, and 27 or more.
pub(super) fn dotted(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    for dot in memchr::memchr_iter(b'.', text) {
        if text.get(dot + 7) != Some(&b'.') || run(text, dot + 1, Url) != 6 {
            continue;
        }
        let head = text[..dot].iter().rev().take(40).take_while(|b| Url.has(**b)).count();
        let tail = run(text, dot + 8, Url);
        let start = dot - head;
        if (23..=28).contains(&head) && (27..=45).contains(&tail) && matches!(text[start], b'M' | b'N' | b'O')
        {
            found.push(Found { kind: "discord", start, end: dot + 8 + tail });
        }
    }
    found
}
