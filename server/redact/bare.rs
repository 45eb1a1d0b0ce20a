//! Secrets that nothing names: the secret key of AWS, by its length and its mixture of characters alone.

use super::FoundSecret;

/// Characters of a secret key of AWS, as its documentation shows it.
const LENGTH: usize = 40;

/// The runs of a text that look like a secret key of AWS.
pub(super) fn aws_secrets(text: &[u8]) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + LENGTH <= text.len() {
        // If the last byte of a run of this length is not part of it, no run begins before that byte.
        let last = at + LENGTH - 1;
        if let Some(back) = text[at..=last].iter().rposition(|b| !is_body(*b)) {
            at += back + 1;
            continue;
        }
        let length = text[at..].iter().take_while(|b| is_body(**b)).count();
        let edge = |b: Option<&u8>| b.is_none_or(|b| !matches!(b, b'_' | b'-' | b'=' | b'.' | b'%' | b'@'));
        // A sign of assignment may stand before it, and none behind it.
        let is_free = at.checked_sub(1).is_none_or(|before| text[before] == b'=' || edge(text.get(before)))
            && edge(text.get(at + length));
        if length == LENGTH && is_free && is_random(&text[at..at + length]) {
            found.push(FoundSecret { kind: "aws-secret", start: at, end: at + length });
        }
        at += length + 1;
    }
    found
}

fn is_body(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'/' | b'+')
}

/// Returns whether letters of both cases and digits alternate at random: neither a path, nor names put together, nor
/// digits in hexadecimal.
fn is_random(run: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| run.iter().filter(|b| test(b)).count();
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let digits = count(u8::is_ascii_digit);
    let mut seen = [false; 128];
    run.iter().for_each(|b| seen[usize::from(b & 0x7f)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    let class = |b: u8| (b.is_ascii_uppercase(), b.is_ascii_lowercase());
    let changes = run.windows(2).filter(|two| class(two[0]) != class(two[1])).count();
    let longest =
        run.chunk_by(|a, b| a.is_ascii_lowercase() && b.is_ascii_lowercase()).map(<[u8]>::len).max();
    upper >= 6
        && lower >= 6
        && digits >= 2
        && distinct >= 22
        && changes >= 16
        && longest.is_none_or(|run| run <= 6)
}

#[cfg(test)]
mod tests {
    use super::aws_secrets;

    #[test]
    fn forty_random_characters_are_found_and_other_runs_of_forty_are_not() {
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY".to_owned() + "zX3mPLEK8Y";
        for text in
            [secret.clone(), format!("key = '{secret}'"), format!("A={secret}"), format!("{secret}\n")]
        {
            assert_eq!(aws_secrets(text.as_bytes()).len(), 1, "{text}");
        }
        for text in [
            "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "a/path/with/Parts2/And/Names3/of/40/chars",
            "assertThatTheNumberOfItemsIs42AfterCall1",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcd",
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd",
            &format!("{secret}="),
            &format!("{secret}a"),
        ] {
            assert_eq!(aws_secrets(text.as_bytes()).len(), 0, "{text}");
        }
    }
}
