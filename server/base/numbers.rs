//! Numbers as people write them: counts and durations.

/// A count with its noun: `1 hunk`, `2 hunks`.
pub fn format_count(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A duration in milliseconds, in one or two units: `87 ms`, `1.2 s`, `26 s`, `3 min 20 s`, `2 h 5 min`.
pub fn format_duration(ms: f64) -> String {
    let ms = if ms.is_finite() { ms.max(0.0) } else { 0.0 };
    let seconds = (ms / 1000.0).round() as u64;
    let two = |count: u64, unit: &str, rest: u64, small: &str| match rest {
        0 => format!("{count} {unit}"),
        rest => format!("{count} {unit} {rest} {small}"),
    };
    match ms {
        ..0.95 => format!("{ms:.1} ms"),
        0.95..999.5 => format!("{ms:.0} ms"),
        999.5..9950.0 => format!("{:.1} s", ms / 1000.0),
        _ if seconds < 60 => format!("{seconds} s"),
        _ if seconds < 3600 => two(seconds / 60, "min", seconds % 60, "s"),
        _ => {
            let minutes = (seconds + 30) / 60;
            two(minutes / 60, "h", minutes % 60, "min")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{format_count, format_duration};

    #[test]
    fn one_has_no_plural() {
        assert_eq!([0_u32, 1, 2].map(|count| format_count(count, "hunk")), ["0 hunks", "1 hunk", "2 hunks"]);
    }

    #[test]
    fn a_duration_is_said_in_its_own_units() {
        let cases = [
            (0.04, "0.0 ms"),
            (0.5, "0.5 ms"),
            (1.25, "1 ms"),
            (86.697, "87 ms"),
            (999.6, "1.0 s"),
            (1234.0, "1.2 s"),
            (9_960.0, "10 s"),
            (26_123.4, "26 s"),
            (60_000.0, "1 min"),
            (200_000.0, "3 min 20 s"),
            (3_599_400.0, "59 min 59 s"),
            (7_500_000.0, "2 h 5 min"),
            (f64::NAN, "0.0 ms"),
        ];
        for (ms, said) in cases {
            assert_eq!(format_duration(ms), said, "{ms}");
        }
    }
}
