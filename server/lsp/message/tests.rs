//! Valid and malformed message bodies.

use serde_json::json;

use super::*;

fn refused(body: &[u8], code: i64, id: Value) {
    let refusal = parse_message(body).unwrap_err();
    assert_eq!((refusal.error.code.code(), &refusal.id), (code, &id), "{}", String::from_utf8_lossy(body));
}

#[test]
fn what_is_no_json() {
    for body in ["", "{", "{\"a\":}", "nul", "{\"id\":1}x", "[1,", "\"\u{0}"] {
        refused(body.as_bytes(), -32700, Value::Null);
        assert!(parse_message(body.as_bytes()).unwrap_err().is_torn, "{body}");
    }
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, json!(1));
    refused(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":01}}"#, -32700, json!(1));
    refused(br#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"a"#, -32700, json!("a"));
    refused(b"{\"method\":\"\xe2\x82", -32700, Value::Null);
}

#[test]
fn a_request_whose_params_cannot_be_read_keeps_its_id() {
    refused(br#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":"\ud800"}}"#, -32700, json!("x"));
    refused(br#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1e999}}"#, -32700, json!(7));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":{}{}}}"#,
        "[".repeat(9000),
        "]".repeat(9000)
    );
    refused(deep.as_bytes(), -32700, json!(7));
}

#[test]
fn what_is_no_message() {
    for body in
        ["[]", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]", "1", "null", "\"x\"", r#"["2.0",1,"m"]"#]
    {
        refused(body.as_bytes(), -32600, Value::Null);
    }
    refused(br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, -32600, Value::Null);
    refused(br#"{"jsonrpc":"2.0","id":3}"#, -32600, json!(3));
    refused(br#"{"jsonrpc":"1.0","id":3,"method":"m"}"#, -32600, json!(3));
    refused(br#"{"jsonrpc":2.0,"id":3,"method":"m"}"#, -32600, json!(3));
    refused(br#"{"id":3,"method":"m"}"#, -32600, json!(3));
    refused(br#"{"jsonrpc":"2.0","id":"s","method":5}"#, -32600, json!("s"));
    for id in ["1.5", "1.0", "1e3", "true", "[]", "{}", "99999999999999999999999", "\"\\ud800\""] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        refused(body.as_bytes(), -32600, Value::Null);
    }
}

#[test]
fn messages() {
    for id in [json!(0), json!(-1), json!(i64::MIN), json!(u64::MAX), json!("a"), json!(""), Value::Null] {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "m", "params": [1] }).to_string();
        let params = Some(json!([1]));
        assert_eq!(
            parse_message(body.as_bytes()),
            Ok(ClientMessage::Request { id, method: "m".into(), params })
        );
    }
    let notification = |params| Ok(ClientMessage::Notification { method: "m".into(), params });
    assert_eq!(
        parse_message(br#" {"method":"m","jsonrpc":"2.0","params":null} "#),
        notification(Some(Value::Null))
    );
    assert_eq!(parse_message(br#"{"method":"m","jsonrpc":"2.0","other":1}"#), notification(None));
    let mended = json!({ "a": "\u{fffd}x\u{1f600}\\ud800\u{fffd}" });
    assert_eq!(
        parse_message(br#"{"method":"m","jsonrpc":"2.0","params":{"a":"\ud800x\ud83d\ude00\\ud800\udc00"}}"#),
        notification(Some(mended))
    );
}

#[test]
fn responses() {
    let check = |body: &str, expected| {
        assert_eq!(parse_message(body.as_bytes()), Ok(ClientMessage::Response(expected)), "{body}")
    };
    check(r#"{"jsonrpc":"2.0","id":1,"result":null}"#, Response::from_ok(1.into(), Value::Null));
    check(r#"{"jsonrpc":"2.0","id":"x","result":{"a":1}}"#, Response::from_ok("x".into(), json!({ "a": 1 })));
    let mut no = Error::new(ErrorCode::ServerError(-32803));
    no.message = "no".into();
    let error = r#"{"code":-32803,"message":"no"}"#;
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#),
        Response::from_error(1.into(), no.clone()),
    );
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error},"result":null}}"#),
        Response::from_error(1.into(), no),
    );
    check(r#"{"jsonrpc":"2.0","id":1,"error":null,"result":5}"#, Response::from_ok(1.into(), json!(5)));
    check(r#"{"jsonrpc":"2.0","id":1.5,"result":5}"#, Response::from_ok(Id::Null, json!(5)));
}

#[test]
fn answers() {
    let text = |id, outcome| String::from_utf8(frame_answer(&id, &outcome)).unwrap();
    assert_eq!(
        text(json!(u64::MAX), Ok(Value::Null)),
        "Content-Length: 57\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"result\":null}"
    );
    assert_eq!(
        text(json!("ü"), Err(Error::request_cancelled())),
        "Content-Length: 72\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"ü\",\"error\":{\"code\":-32800,\"message\":\"Canceled\"}}"
    );
}
