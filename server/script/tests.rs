//! Scripts in the engine, without a sandbox around it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

fn run(code: &str) -> ScriptReport {
    with(code, json!(null), 5_000)
}

fn with(code: &str, input: Value, time_ms: u64) -> ScriptReport {
    let lines = Rc::new(RefCell::new(String::new()));
    let into = lines.clone();
    let request = ScriptRequest { code: code.to_owned(), input, time_ms };
    engine::run_script(&request, Rc::new(move |line, _| into.borrow_mut().push_str(&format!("{line}\n"))));
    let report = ScriptReport::from_output(lines.borrow().as_bytes());
    assert!(report.end.is_some(), "{code}: {report:?}");
    report
}

fn value(code: &str) -> Value {
    let end = run(code).end.unwrap();
    assert_eq!((&end.error, &end.limit), (&None, &None), "{code}");
    end.result
}

fn error(code: &str) -> (String, String, Option<u32>, Option<u32>) {
    let end = run(code).end.unwrap();
    assert_eq!(end.result, Value::Null, "{code}");
    let error = end.error.unwrap_or_else(|| panic!("{code}: no error"));
    (error.name, error.message, error.line, error.column)
}

#[test]
fn the_value_is_that_of_the_last_expression_or_of_return() {
    for (code, expected) in [
        ("1 + 1", json!(2)),
        ("let x = 3; x * 2", json!(6)),
        ("const x = 3", json!(null)),
        ("", json!(null)),
        ("// nothing", json!(null)),
        ("undefined", json!(null)),
        ("return 5", json!(5)),
        ("return await Promise.resolve([1])", json!([1])),
        ("if (true) { return { a: 1 } }\nreturn 2", json!({ "a": 1 })),
        ("{ a: 1, b: [2] }", json!({ "a": 1, "b": [2] })),
        ("{ let y = 2; y }", json!(2)),
        ("({ a: undefined, b: null })", json!({ "b": null })),
        ("[undefined, , NaN]", json!([null, null, null])),
        ("function f() { return 4 }\nf()", json!(4)),
        ("'a\\ud800b'", json!("a\u{fffd}b")),
        ("'😀'.length", json!(2)),
        ("new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("new Map([['a', 1]])", json!({ "a": 1 })),
        ("new Map([[1, 2]])", json!([[1, 2]])),
        ("new Set([1, 2])", json!([1, 2])),
        ("new Uint8Array([1, 255])", json!([1, 255])),
        ("[new Error('x')]", json!([{ "name": "Error", "message": "x" }])),
        ("JSON.parse('{\"__proto__\": 1}')", serde_json::from_str("{\"__proto__\":1}").unwrap()),
        ("class P { constructor() { this.x = 1 } }\nnew P()", json!({ "x": 1 })),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn promises_and_timers_run_to_their_end() {
    for (code, expected) in [
        ("await Promise.resolve(5)", json!(5)),
        ("(async () => { await 1; return 7 })()", json!(7)),
        ("Promise.all([1, Promise.resolve(2)])", json!([1, 2])),
        ("for await (const x of [Promise.resolve(3)]) globalThis.x = x;\nx", json!(3)),
        ("await new Promise((done) => setTimeout(done, 5, 'late'))", json!("late")),
        (
            "let n = 0; const t = setInterval(() => { if (++n == 3) clearInterval(t) }, 1);\nawait new Promise((d) => setTimeout(d, 50)); n",
            json!(3),
        ),
        ("const t = setTimeout(() => { throw 1 }, 1); clearTimeout(t); 2", json!(2)),
        ("queueMicrotask(() => globalThis.done = 1); await null; done", json!(1)),
        ("structuredClone({ a: new Map([[1, new Set([2])]]) }).a.get(1).has(2)", json!(true)),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let order = run(
        "setTimeout(() => console.log('second'), 20); setTimeout(() => console.log('first'), 1); 'value'",
    );
    assert_eq!(texts(&order), ["first", "second"]);
    assert_eq!(order.end.unwrap().result, json!("value"));
}

fn texts(report: &ScriptReport) -> Vec<&str> {
    report.logs.iter().map(|entry| entry.text.as_str()).collect()
}

#[test]
fn the_input_is_a_value_in_scope() {
    let input = json!({ "rows": [1, 2, 3], "text": "a\0b\u{2028}" });
    let report = with("input.rows.length + input.text", input.clone(), 1_000);
    assert_eq!(report.end.unwrap().result, json!("3a\0b\u{2028}"));
    assert_eq!(with("input", input.clone(), 1_000).end.unwrap().result, input);
    assert_eq!(with("const input = 5; input", input, 1_000).end.unwrap().result, json!(5));
}

#[test]
fn an_error_names_its_place_in_the_code() {
    for (code, name, place) in [
        ("null.x", "TypeError", Some((1, 1))),
        ("  missing", "ReferenceError", Some((1, 3))),
        ("let a = 1;\n\nfoo bar", "SyntaxError", Some((3, 5))),
        ("foo(", "SyntaxError", Some((1, 5))),
        ("function f() {\n  throw new TypeError('bad')\n}\nf()", "TypeError", Some((2, 13))),
        ("await 1;\nnull.x", "TypeError", Some((2, 1))),
        ("return null.x", "TypeError", None),
        ("return input.x", "TypeError", Some((1, 8))),
        ("'😀é' + missing", "ReferenceError", Some((1, 8))),
        ("if (1) {\n  return missing\n}", "ReferenceError", Some((2, 10))),
        ("return 1;\nfoo bar", "SyntaxError", Some((2, 5))),
        ("{ a: missing }", "ReferenceError", Some((1, 6))),
        ("JSON.parse('{')", "SyntaxError", Some((1, 5))),
        ("setTimeout(() => { input.x }, 1); 5", "TypeError", Some((1, 20))),
        ("Promise.reject(new RangeError('r')); 5", "RangeError", Some((1, 20))),
        ("throw 'text'", "Uncaught", None),
        ("throw null", "Uncaught", None),
        ("require('fs')", "ReferenceError", Some((1, 1))),
        ("await import('fs')", "ReferenceError", None),
        ("import fs from 'fs'", "SyntaxError", Some((1, 8))),
    ] {
        let (found, message, line, column) = error(code);
        assert_eq!((found.as_str(), line.zip(column)), (name, place), "{code}: {message}");
    }
    assert_eq!(error("throw { code: 5 }").1, "{code: 5}");
    assert_eq!(error("a\0b").1, "the code holds a NUL character");
    assert_eq!(error("await new Promise(() => {})").0, "UnsettledPromise");
    assert_eq!(value("Promise.reject(1).catch(() => 2)"), json!(2));
    assert_eq!(value("const p = Promise.reject(1); await null; p.catch(() => 3)"), json!(3));
}

#[test]
fn what_json_cannot_say_is_an_error_that_names_it() {
    for (code, message) in [
        ("10n", "result is a BigInt"),
        ("({ a: [1n] })", "result.a[0] is a BigInt"),
        ("() => 1", "result is a function"),
        ("({ f() {} })", "result.f is a function"),
        ("Symbol('x')", "result is a symbol"),
        ("const a = {}; a.b = { a }; a", "result.b.a refers back"),
        ("[Promise.resolve(1)]", "result[0] is a promise"),
        ("let d = []; for (let i = 0; i < 150; i++) d = [d]; d", "the result is nested deeper than 100"),
        ("'x'.repeat(3e6)", "the result is larger than 1048576 bytes"),
        ("new Array(1e9)", "the result is larger than"),
        ("'\\u0001'.repeat(4e5)", "the result is larger than"),
    ] {
        let (name, found, ..) = error(code);
        assert!(name == "ResultError" && found.starts_with(message), "{code}: {name}: {found}");
    }
    assert_eq!(error("({ toJSON() { throw new RangeError('mine') } })").1, "mine");
}

#[test]
fn messages_have_levels_and_bounds() {
    let report = run(
        "console.log('a', 1, [1, 'b'], { c: new Map([[1, new Set([2])]]) }); console.info(null); console.debug(undefined)\n\
         console.warn(new TypeError('bad')); console.error(() => 1, 5n, Symbol('s')); console.assert(1 > 2, 'why')\n\
         const o = { deep: { deep: { deep: { deep: {} } } } }; o.self = o; console.log(o)\n\
         console.log(new Proxy({}, { ownKeys() { throw 1 } }))",
    );
    let levels: Vec<LogLevel> = report.logs.iter().map(|entry| entry.level).collect();
    use LogLevel::{Debug, Error, Info, Log, Warn};
    assert_eq!(levels, [Log, Info, Debug, Warn, Error, Error, Log, Log]);
    assert_eq!(
        texts(&report),
        [
            "a 1 [1, \"b\"] {c: Map {1 => Set {2}}}",
            "null",
            "undefined",
            "TypeError: bad (line 2, column 18)",
            "[function without a name] 5n Symbol(s)",
            "assertion failed why",
            "{deep: {deep: {deep: {deep: {…}}}}, self: [circular]}",
            "[unreadable]",
        ]
    );
    let many = run("for (let i = 0; i < 100000; i++) console.log('line ' + i); 1");
    assert_eq!((many.logs.len(), many.end.as_ref().map(|end| end.cut)), (1001, Some(true)));
    assert_eq!(many.logs[1000].text, "99000 more messages are left out");
    let long = run("console.log('x'.repeat(1e7)); console.log(new Array(1e6).fill({ a: 1 })); 1");
    assert!(long.logs[0].text.ends_with("… (9991808 characters are left out)"));
    assert!(long.logs.iter().map(|entry| entry.text.len()).sum::<usize>() < 20_000);
}

#[test]
fn limits_end_what_does_not_end() {
    for code in [
        "while (true) {}",
        "try { while (true) {} } catch { while (true) {} }",
        "Promise.resolve().then(() => { while (true) {} }); 5",
        "const again = () => Promise.resolve().then(again); await again()",
        "setInterval(() => {}, 1); 5",
        "await new Promise((done) => setTimeout(done, 60000))",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "({ get x() { while (true) {} } })",
        "console.log({ get x() { while (true) {} } })",
    ] {
        let start = Instant::now();
        let end = with(&format!("console.log('before');\n{code}"), json!(null), 100).end.unwrap();
        assert_eq!((end.limit, end.error), (Some(ScriptLimit::Time), None), "{code}");
        assert!(start.elapsed() < Duration::from_secs(3), "{code}");
    }
    for code in [
        "const a = []; while (true) a.push(new Array(1000).fill(0))",
        "globalThis.a = []; while (true) a.push('x'.repeat(1e5) + a.length)",
        "globalThis.a = []; while (true) { try { a.push(new Uint8Array(1e6)) } catch (e) { throw e } }",
        "new Uint8Array(1e9)",
    ] {
        let end = with(code, json!(null), 60_000).end.unwrap();
        assert_eq!(end.limit, Some(ScriptLimit::Memory), "{code}: {end:?}");
    }
    assert_eq!(error("const f = () => f() + 1; f()").0, "RangeError");
    assert_eq!(error("let s = 'x'; while (true) s += s").0, "InternalError");
    assert_eq!(value("const f = (n) => n ? f(n - 1) + 1 : 0; f(1000)"), json!(1000));
}

#[test]
fn the_code_finds_nothing_of_the_machine() {
    let names = "['require', 'process', 'fetch', 'std', 'os', 'Deno', 'Bun', 'WebAssembly', 'print', 'load', 'XMLHttpRequest', 'scriptArgs']";
    assert_eq!(value(&format!("{names}.filter((name) => name in globalThis)")), json!([]));
    let known = value(
        "Object.getOwnPropertyNames(globalThis).filter((name) => /file|read|socket|exec|spawn/i.test(name))",
    );
    assert_eq!(known, json!([]));
}
