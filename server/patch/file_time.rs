//! The time behind a file's name in a header: `2024-05-01 12:00:00.000000000 +0200`, or `Wed May  1 12:00:00 2024`.

/// A name and the time behind it, which spaces separate; an empty time where there is none.
pub(super) fn split_time(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let words: Vec<(usize, &str)> = word_starts(text);
    let is_time_at = |count: usize| {
        let first = words.len().checked_sub(count).filter(|first| *first > 0)?;
        let parts: Vec<&str> = words[first..].iter().map(|(_, word)| *word).collect();
        is_time(&parts).then(|| words[first].0)
    };
    match [6, 5, 3, 2].into_iter().find_map(is_time_at) {
        Some(at) => (text[..at].trim_end(), &text[at..]),
        None => (text, ""),
    }
}

/// The words of a text from the last ones on, as many as a time may have and one more, each with its position.
fn word_starts(text: &str) -> Vec<(usize, &str)> {
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut rest = text;
    while words.len() < 7 && !rest.is_empty() {
        let start = rest.rfind([' ', '\t']).map_or(0, |at| at + 1);
        words.push((start, &rest[start..]));
        rest = rest[..start].trim_end();
    }
    words.reverse();
    words
}

fn is_time(parts: &[&str]) -> bool {
    match parts {
        [date, time] => is_date(date) && is_clock(time),
        [date, time, zone] => is_date(date) && is_clock(time) && zone_minutes(zone).is_some(),
        [day, month, number, time, year] => is_calendar(day, month, number, year) && is_clock(time),
        [day, month, number, time, year, zone] => {
            is_calendar(day, month, number, year) && is_clock(time) && zone_minutes(zone).is_some()
        }
        _ => false,
    }
}

fn is_calendar(day: &str, month: &str, number: &str, year: &str) -> bool {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    DAYS.contains(&day)
        && MONTHS.contains(&month)
        && has_shape(number, &["9", "99"])
        && has_shape(year, &["9999"])
}

fn is_date(text: &str) -> bool {
    has_shape(text, &["9999-99-99"])
}

fn is_clock(text: &str) -> bool {
    let (clock, fraction) = text.split_once('.').map_or((text, "0"), |(clock, fraction)| (clock, fraction));
    has_shape(clock, &["99:99:99", "99:99"])
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text has one of these shapes, in which a 9 stands for any digit.
fn has_shape(text: &str, shapes: &[&str]) -> bool {
    let fits = |(own, shape): (u8, u8)| if shape == b'9' { own.is_ascii_digit() } else { own == shape };
    shapes.iter().any(|shape| shape.len() == text.len() && text.bytes().zip(shape.bytes()).all(fits))
}

/// The minutes of a zone, `+0200` or `-03:30`.
fn zone_minutes(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).filter(|digits| has_shape(digits, &["9999", "99:99"]))?;
    let minutes = digits[..2].parse::<i32>().ok()? * 60 + digits[digits.len() - 2..].parse::<i32>().ok()?;
    Some(if text.starts_with('-') { -minutes } else { minutes })
}

/// Returns whether a time is the first second of 1970 in its zone: GNU diff states it for a file that is not there.
pub(super) fn is_epoch(time: &str) -> bool {
    let parts: Vec<&str> = time.split_whitespace().collect();
    let [date, clock, zone] = parts[..] else { return false };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let (Some(minutes), true) = (zone_minutes(zone), has_shape(clock, &["99:99:99"]) && is_date(date)) else {
        return false;
    };
    let local = minutes.rem_euclid(24 * 60);
    let day = if minutes < 0 { "1969-12-31" } else { "1970-01-01" };
    date == day
        && clock == format!("{:02}:{:02}:00", local / 60, local % 60)
        && fraction.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_no_part_of_a_name() {
        for time in [
            "2024-05-01 12:00:00.000000000 +0200",
            "2024-05-01 12:00:00 -03:30",
            "2024-05-01 12:00:00",
            "2024-05-01 12:00",
            "Wed May  1 12:00:00 2024",
        ] {
            assert_eq!(split_time(&format!("a b.txt  {time}")), ("a b.txt", time));
        }
        for name in
            ["2024-05-01 12:00:00", "a b.txt", "a 12:00:00", "notes 2024-05-01", "a  2024-05-01 +0200", ""]
        {
            assert_eq!(split_time(name), (name, ""));
        }
    }

    #[test]
    fn a_file_that_is_not_there_has_the_first_second_of_1970() {
        for time in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1970-01-01 09:00:00 +0900",
            "1969-12-31 16:00:00 -08:00",
            "1969-12-31 20:30:00.000 -0330",
        ] {
            assert!(is_epoch(time), "{time}");
        }
        for time in [
            "1970-01-01 00:00:01 +0000",
            "1970-01-01 00:00:00 +0100",
            "1970-01-01 00:00:00",
            "1970-01-01",
            "",
        ] {
            assert!(!is_epoch(time), "{time}");
        }
    }
}
