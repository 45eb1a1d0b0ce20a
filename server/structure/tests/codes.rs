//! Symbols of each language.

use super::code_of;
use crate::StructureErrorCode::{Ambiguous, BadValue, NotThere, Unreadable};
use crate::{PartAddress, PartChange, StructureError, change_part, find_part};

fn symbol(address: &str) -> PartAddress {
    PartAddress::Symbol(address.to_owned())
}

fn change(path: &str, text: &str, address: &str, new: Option<&str>) -> Result<String, StructureError> {
    let change = new.map_or(PartChange::Remove, |new| PartChange::Text(new.to_owned()));
    change_part(path, text, &symbol(address), &change)
}

const RUST: &str = "//! A parser.\n\n/// Reads.\n#[derive(Debug)]\npub struct Parser {\n    at: usize,\n}\n\nimpl Parser {\n    /// The next one.\n    #[inline]\n    pub fn next(&mut self) -> u8 {\n        self.at += 1;\n        0\n    }\n}\n\nimpl Iterator for Parser {\n    type Item = u8;\n    fn next(&mut self) -> Option<u8> {\n        None\n    }\n}\n\nconst LIMIT: usize = 3; // most\n";

#[test]
fn symbols_are_found_with_comments_and_attributes() {
    let cases: [(&str, &str, &str, &str); 22] = [
        ("a.rs", RUST, "Parser", "/// Reads.\n#[derive(Debug)]\npub struct Parser {\n    at: usize,\n}"),
        ("a.rs", RUST, "LIMIT", "const LIMIT: usize = 3;"),
        (
            "a.rs",
            RUST,
            "<Parser as Iterator>::next",
            "fn next(&mut self) -> Option<u8> {\n        None\n    }",
        ),
        (
            "a.py",
            "X = 1\n\n# About.\n@dec\ndef f(a):\n    return a\n",
            "f",
            "# About.\n@dec\ndef f(a):\n    return a",
        ),
        (
            "a.py",
            "class A:\n    def f(self):\n        return 1\n\n    y = 2\n",
            "A.f",
            "def f(self):\n        return 1",
        ),
        ("a.py", "class A:\n    def f(self):\n        return 1\n\n    y = 2\n", "A.y", "y = 2"),
        (
            "a.ts",
            "/** Doc. */\nexport function f<T>(x: T): T { return x; }\n",
            "f",
            "/** Doc. */\nexport function f<T>(x: T): T { return x; }",
        ),
        (
            "a.ts",
            "export class A {\n  private x = 1;\n\n  @dec()\n  async m() { }\n}\n",
            "A.m",
            "@dec()\n  async m() { }",
        ),
        ("a.ts", "export class A {\n  private x = 1;\n}\n", "A.x", "private x = 1;"),
        ("a.ts", "export interface I { a: string }\n", "I", "export interface I { a: string }"),
        ("a.tsx", "export const V = () => <a>x</a>;\n", "V", "export const V = () => <a>x</a>;"),
        (
            "a.js",
            "const f = (a) => { const x = 1; return x; };\nmodule.exports = f;\n",
            "f",
            "const f = (a) => { const x = 1; return x; };",
        ),
        ("a.js", "class A { #p = 1; get() { return this.#p; } }\n", "A.get", "get() { return this.#p; }"),
        (
            "a.go",
            "package a\n\n// Next.\nfunc (p *Parser[T]) Next() int {\n\treturn 1\n}\n",
            "Parser.Next",
            "// Next.\nfunc (p *Parser[T]) Next() int {\n\treturn 1\n}",
        ),
        ("a.go", "package a\n\ntype A struct {\n\tx int\n}\n", "A", "type A struct {\n\tx int\n}"),
        ("a.go", "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n", "B", "B = 2"),
        (
            "A.java",
            "class A {\n  /** d */\n  @Override\n  public int f() { return 1; }\n}\n",
            "A.f",
            "/** d */\n  @Override\n  public int f() { return 1; }",
        ),
        ("A.java", "class A {\n  static final int X = 1;\n}\n", "A.X", "static final int X = 1;"),
        (
            "a.c",
            "int f(int);\n\n/* d */\nstatic int *f(int a)\n{\n  return 0;\n}\n",
            "f",
            "/* d */\nstatic int *f(int a)\n{\n  return 0;\n}",
        ),
        (
            "a.c",
            "typedef struct a { int x; } A;\n#define LIMIT 3\nint y;\n",
            "A",
            "typedef struct a { int x; } A;",
        ),
        ("a.h", "#define LIMIT 3\nint y;\n", "LIMIT", "#define LIMIT 3"),
        ("a.c", "struct a { int x; };\n", "a", "struct a { int x; };"),
    ];
    for (path, text, address, expected) in cases {
        let part = find_part(path, text, &symbol(address)).map(|range| &text[range]);
        assert_eq!(
            part.map_err(|error| format!("{error} {:?}", error.hints)),
            Ok(expected),
            "{path} {address}"
        );
    }
}

#[test]
fn a_symbol_is_replaced_where_it_stands() {
    let old = "pub fn next(&mut self) -> u8 {\n        self.at += 1;\n        0\n    }";
    let new = "pub fn next(&mut self) -> u8 {\n    1\n}\n";
    let shown = "pub fn next(&mut self) -> u8 {\n        1\n    }";
    // Both are `Parser::next`: the trait's is told by its trait.
    assert_eq!(code_of(change("a.rs", RUST, "Parser::next", Some(new))), Ambiguous);
    let plain = RUST.replace("fn next(&mut self) -> Option<u8>", "fn other(&mut self) -> Option<u8>");
    assert_eq!(change("a.rs", &plain, "Parser::next", Some(new)).unwrap(), plain.replace(old, shown));
    let documented = format!("/// New.\n{new}");
    let after = change("a.rs", &plain, "next", Some(&documented)).unwrap();
    let whole = format!("/// The next one.\n    #[inline]\n    {old}");
    assert_eq!(after, plain.replace(&whole, &format!("/// New.\n    {shown}")));
    let attributed = format!("#[cold]\n{new}");
    let after = change("a.rs", &plain, "next", Some(&attributed)).unwrap();
    assert_eq!(after, plain.replace(&format!("#[inline]\n    {old}"), &format!("#[cold]\n    {shown}")));
    let crlf = plain.replace('\n', "\r\n");
    assert_eq!(
        change("a.rs", &crlf, "next", Some(new)).unwrap(),
        plain.replace(old, shown).replace('\n', "\r\n")
    );
}

#[test]
fn lines_of_a_text_literal_are_not_indented() {
    let text = "class A:\n    def f(self):\n        return 1\n";
    let new = "def f(self):\n    \"\"\"Doc\n    more.\n    \"\"\"\n    return \"\"\"a\nb\"\"\"\n";
    let after = change("a.py", text, "A.f", Some(new)).unwrap();
    let expected = "class A:\n    def f(self):\n        \"\"\"Doc\n        more.\n        \"\"\"\n        return \"\"\"a\nb\"\"\"\n";
    assert_eq!(after, expected);
}

#[test]
fn a_symbol_goes_with_its_lines() {
    assert_eq!(
        change("a.rs", RUST, "LIMIT", None).unwrap(),
        RUST.replace("\nconst LIMIT: usize = 3; // most\n", "")
    );
    let text = "impl A {\n    fn a() {}\n\n    fn b() {}\n}\n";
    assert_eq!(change("a.rs", text, "A.b", None).unwrap(), "impl A {\n    fn a() {}\n}\n");
    assert_eq!(change("a.rs", text, "A.a", None).unwrap(), "impl A {\n    fn b() {}\n}\n");
    let text = "def a():\n    pass\n\n\n# b\ndef b():\n    pass\n\n\ndef c():\n    pass\n";
    let after = change("a.py", text, "b", None).unwrap();
    assert_eq!(after, "def a():\n    pass\n\n\ndef c():\n    pass\n");
}

#[test]
fn a_symbol_that_would_reach_further_is_refused() {
    assert_eq!(code_of(change("a.rs", RUST, "LIMIT", Some("const LIMIT: usize = {"))), BadValue);
    assert_eq!(code_of(change("a.rs", RUST, "LIMIT", Some("// nothing"))), BadValue);
    assert_eq!(code_of(change("a.py", "def a():\n    return 1\n\nb = 2\n", "a", Some("x = '''"))), BadValue);
    assert_eq!(
        code_of(change("a.py", "class A:\n    def f(self):\n        pass\n\nb = 1\n", "A.f", None)),
        BadValue
    );
    let error = change("a.rs", RUST, "Parser::nxt", Some("fn a() {}")).unwrap_err();
    assert_eq!(error.code, NotThere);
    assert!(error.hints.contains(&"Parser.next (line 10)".to_owned()), "{:?}", error.hints);
    let error = change("a.rs", "fn a() { let x = ; }\n", "a", Some("fn a() {}")).unwrap_err();
    assert_eq!((error.code, error.line), (Unreadable, Some(1)));
}

#[test]
fn code_of_any_depth_is_read() {
    let deep = format!("int x = {}1{};\nint y = 2;\n", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(&deep[find_part("a.c", &deep, &symbol("y")).unwrap()], "int y = 2;");
    let after = change("a.c", &deep, "y", Some("int y = 3;")).unwrap();
    assert!(after.ends_with("int y = 3;\n"));
    let stars = format!("int {}x;\n", "*".repeat(20_000));
    assert!(find_part("a.c", &stars, &symbol("x")).is_ok());
}
