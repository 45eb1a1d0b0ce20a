//! Encodings and line ends are detected and preserved.

use proptest::prelude::*;

use super::{EncodingSniffer, LineEnding, TextEncoding, decode_text};

fn check(bytes: &[u8], expected: Option<(&str, TextEncoding)>) {
    let decoded = decode_text(bytes);
    let found = decoded.as_ref().map(|decoded| (decoded.text.as_str(), decoded.encoding));
    assert_eq!(found, expected, "{bytes:?}");
    if let Some(decoded) = &decoded {
        assert_eq!(decoded.encoding.encode_text(&decoded.text).as_deref(), Ok(bytes), "{bytes:?}");
    }
    for size in 1..=4 {
        let mut sniffer = EncodingSniffer::new(bytes);
        bytes.chunks(size).for_each(|piece| sniffer.feed(piece));
        assert_eq!(sniffer.finish(), decoded.as_ref().map(|decoded| decoded.encoding), "{bytes:?} by {size}");
    }
}

#[test]
fn encodings_are_told_apart() {
    check(b"", Some(("", TextEncoding::Utf8)));
    check("aé€𝄞\r\n".as_bytes(), Some(("aé€𝄞\r\n", TextEncoding::Utf8)));
    check(b"\xef\xbb\xbfa\n", Some(("a\n", TextEncoding::Utf8Bom)));
    check(b"\xef\xbb\xbf", Some(("", TextEncoding::Utf8Bom)));
    check(b"\xef\xbb\xbf\xe9", Some(("ï»¿é", TextEncoding::Latin1)));
    check(b"caf\xe9\n", Some(("café\n", TextEncoding::Latin1)));
    check(b"cut \xe2\x82", Some(("cut â\u{82}", TextEncoding::Latin1)));
    check(b"\xff\xfea\0\n\0", Some(("a\n", TextEncoding::Utf16Le)));
    check(b"\xfe\xff\0a\xd8\x34\xdd\x1e", Some(("a𝄞", TextEncoding::Utf16Be)));
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
    assert_eq!(TextEncoding::Latin1.encode_text("a€"), Err('€'));
    assert_eq!(TextEncoding::Latin1.encode_text("é").as_deref(), Ok(&[0xe9][..]));
}

#[test]
fn line_ends() {
    let cases = [
        ("a", LineEnding::None),
        ("a\r", LineEnding::None),
        ("a\nb\n", LineEnding::Lf),
        ("a\r\n", LineEnding::Crlf),
    ];
    for (text, expected) in
        cases.into_iter().chain([("a\r\nb\n", LineEnding::Mixed), ("\r\r\n", LineEnding::Crlf)])
    {
        assert_eq!(LineEnding::detect(text), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn every_byte_survives(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), mark in 0..5usize) {
        let marks: [&[u8]; 5] = [b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
        bytes.splice(0..0, marks[mark].iter().copied());
        if let Some(decoded) = decode_text(&bytes) {
            prop_assert_eq!(&*decoded.encoding.encode_text(&decoded.text).unwrap(), &bytes[..]);
        }
    }

    #[test]
    fn every_text_survives(text in "\\PC*[\r\n]*\\PC*") {
        for encoding in [TextEncoding::Utf8Bom, TextEncoding::Utf16Le, TextEncoding::Utf16Be] {
            let bytes = encoding.encode_text(&text).unwrap();
            let decoded = decode_text(&*bytes).unwrap();
            prop_assert_eq!((decoded.text.as_str(), decoded.encoding), (text.as_str(), encoding));
        }
    }
}
