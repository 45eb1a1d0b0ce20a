//! Texts between `$'` and `'`.

use super::{UnclearScript, WordScanner, WordUnit};

impl WordScanner<'_> {
    pub(super) fn ansi_quoted(&mut self) -> Result<(), UnclearScript> {
        self.at += 2;
        let mut bytes = Vec::new();
        loop {
            let c = self.peek(0).ok_or(UnclearScript)?;
            self.at += 1;
            match c {
                '\'' => break,
                '\\' => self.ansi_escape(&mut bytes)?,
                c => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        // Bash ends the text at a NUL.
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| UnclearScript)?;
        self.add_quotes();
        self.found.units.extend(text.chars().map(|c| WordUnit::Char { c, quoted: true, derived: false }));
        Ok(())
    }

    /// Reads an escape, after its backslash.
    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), UnclearScript> {
        let c = self.peek(0).ok_or(UnclearScript)?;
        if let '0'..='7' = c {
            let code = self.read_digits(3, 8).ok_or(UnclearScript)?;
            bytes.push(u8::try_from(code & 0xff).map_err(|_| UnclearScript)?);
            return Ok(());
        }
        self.at += 1;
        match c {
            'x' => bytes.push(
                u8::try_from(self.read_digits(2, 16).ok_or(UnclearScript)?).map_err(|_| UnclearScript)?,
            ),
            'u' | 'U' => {
                let code = self.read_digits(if c == 'u' { 4 } else { 8 }, 16).ok_or(UnclearScript)?;
                let c = char::from_u32(code).ok_or(UnclearScript)?;
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            }
            'c' => {
                let control = self.peek(0).filter(char::is_ascii).ok_or(UnclearScript)?;
                self.at += 1;
                bytes.push((control as u8) & 0x1f);
            }
            c => match simple_escape(c) {
                Some(byte) => bytes.push(byte),
                None => {
                    bytes.push(b'\\');
                    bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
                }
            },
        }
        Ok(())
    }

    fn read_digits(&mut self, most: usize, radix: u32) -> Option<u32> {
        let digits: Vec<u32> =
            self.chars[self.at..].iter().take(most).map_while(|c| c.to_digit(radix)).collect();
        self.at += digits.len();
        (!digits.is_empty())
            .then(|| digits.iter().fold(0_u32, |code, digit| code.wrapping_mul(radix) + digit))
    }
}

fn simple_escape(c: char) -> Option<u8> {
    Some(match c {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '?' => b'?',
        _ => return None,
    })
}
