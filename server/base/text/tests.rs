//! Encodings and line ends, told apart and kept.

use proptest::prelude::*;

use super::{Encoding, Eol, Sniffer, decode};

fn check(bytes: &[u8], expected: Option<(&str, Encoding)>) {
    let decoded = decode(bytes);
    let found = decoded.as_ref().map(|decoded| (decoded.text.as_str(), decoded.encoding));
    assert_eq!(found, expected, "{bytes:?}");
    if let Some(decoded) = &decoded {
        assert_eq!(decoded.encoding.encode(&decoded.text).as_deref(), Ok(bytes), "{bytes:?}");
    }
    for size in 1..=4 {
        let mut sniffer = Sniffer::new(bytes);
        bytes.chunks(size).for_each(|piece| sniffer.feed(piece));
        assert_eq!(sniffer.finish(), decoded.as_ref().map(|decoded| decoded.encoding), "{bytes:?} by {size}");
    }
}

#[test]
fn encodings_are_told_apart() {
    check(b"", Some(("", Encoding::Utf8)));
    check("aé€𝄞\r\n".as_bytes(), Some(("aé€𝄞\r\n", Encoding::Utf8)));
    check(b"\xef\xbb\xbfa\n", Some(("a\n", Encoding::Utf8Bom)));
    check(b"\xef\xbb\xbf", Some(("", Encoding::Utf8Bom)));
    check(b"\xef\xbb\xbf\xe9", Some(("ï»¿é", Encoding::Latin1)));
    check(b"caf\xe9\n", Some(("café\n", Encoding::Latin1)));
    check(b"cut \xe2\x82", Some(("cut â\u{82}", Encoding::Latin1)));
    check(b"\xff\xfea\0\n\0", Some(("a\n", Encoding::Utf16Le)));
    check(b"\xfe\xff\0a\xd8\x34\xdd\x1e", Some(("a𝄞", Encoding::Utf16Be)));
    check(b"\xff\xfe\x34\xd8", None);
    check(b"\xff\xfe\x1e\xdd", None);
    check(b"\xff\xfea", None);
    check(b"\xff\xfe\0\0a\0\0\0", None);
    check(b"a\0b", None);
    check(b"\xef\xbb\xbfa\0b", None);
    check(b"\x1f\x8b\x08\x01\xe9", None);
}

#[test]
fn what_an_encoding_cannot_hold_is_named() {
    assert_eq!(Encoding::Latin1.encode("a€"), Err('€'));
    assert_eq!(Encoding::Latin1.encode("é").as_deref(), Ok(&[0xe9][..]));
}

#[test]
fn line_ends() {
    let cases = [("a", Eol::None), ("a\r", Eol::None), ("a\nb\n", Eol::Lf), ("a\r\n", Eol::Crlf)];
    for (text, expected) in cases.into_iter().chain([("a\r\nb\n", Eol::Mixed), ("\r\r\n", Eol::Crlf)]) {
        assert_eq!(Eol::of(text), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn every_byte_survives(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), mark in 0..5usize) {
        let marks: [&[u8]; 5] = [b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
        bytes.splice(0..0, marks[mark].iter().copied());
        if let Some(decoded) = decode(&bytes) {
            prop_assert_eq!(&*decoded.encoding.encode(&decoded.text).unwrap(), &bytes[..]);
        }
    }

    #[test]
    fn every_text_survives(text in "\\PC*[\r\n]*\\PC*") {
        for encoding in [Encoding::Utf8Bom, Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = encoding.encode(&text).unwrap();
            let decoded = decode(&*bytes).unwrap();
            prop_assert_eq!((decoded.text.as_str(), decoded.encoding), (text.as_str(), encoding));
        }
    }
}
