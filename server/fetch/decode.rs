//! The content codings: a body is decoded no further than it is wanted, whatever it would become.

use std::io::{self, Read};

use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;

use crate::error::FetchError;
use crate::exchange::BodyStart;

/// The largest window of zstd, as RFC 9659 has it for the web.
const ZSTD_WINDOW: u64 = 8 << 20;

/// A body without its content coding, at most `most` bytes of it.
pub(crate) fn decode_content(
    body: BodyStart,
    coding: Option<&str>,
    most: usize,
) -> Result<BodyStart, FetchError> {
    let coding = coding.unwrap_or_default().trim().to_ascii_lowercase();
    if body.bytes.is_empty() || matches!(coding.as_str(), "" | "identity") {
        return Ok(body);
    }
    let Some((name, reader)) = coding_reader(&coding, &body.bytes) else {
        return Err(FetchError::Coding { coding: coding.chars().take(40).collect() });
    };
    let failed = |source| FetchError::Decode { coding: name, source };
    let mut bytes = Vec::new();
    let end = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    match reader.and_then(|reader| reader.take(end).read_to_end(&mut bytes)) {
        // It ends amid the coding because we stopped there.
        Err(_) if body.cut && !bytes.is_empty() => {}
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    let cut = body.cut || bytes.len() > most;
    bytes.truncate(most);
    Ok(BodyStart { bytes, cut })
}

type Decoder<'a> = io::Result<Box<dyn Read + 'a>>;

fn coding_reader<'a>(coding: &str, bytes: &'a [u8]) -> Option<(&'static str, Decoder<'a>)> {
    Some(match coding {
        "gzip" | "x-gzip" => ("gzip", Ok(Box::new(MultiGzDecoder::new(bytes)))),
        // The standard requires zlib, and some servers send the bare deflate data.
        "deflate" if is_zlib(bytes) => ("deflate", Ok(Box::new(ZlibDecoder::new(bytes)))),
        "deflate" => ("deflate", Ok(Box::new(DeflateDecoder::new(bytes)))),
        "br" => ("br", Ok(Box::new(Decompressor::new(bytes, 4096)))),
        "zstd" => {
            let decoder = StreamingDecoder::new_with_max_window_size(bytes, ZSTD_WINDOW);
            ("zstd", decoder.map(|decoder| Box::new(decoder) as _).map_err(io::Error::other))
        }
        _ => return None,
    })
}

fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if first & 0xf == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0)
}
