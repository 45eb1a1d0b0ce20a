//! Lines of many languages and what they define.

use super::*;
use crate::semantic::language::language_of;

#[test]
fn lines_tell_what_they_define() {
    let check = |file: &str, line: &str, expected: Option<(&str, DefinitionKind)>| {
        assert_eq!(find_definition(line, language_of(file)), expected, "{file}: {line}");
    };
    let is = |name: &'static str, kind: DefinitionKind| Some((name, kind));
    check("a.rs", "pub(crate) async fn read_all<T>(x: T) {", is("read_all", DefinitionKind::Function));
    check("a.rs", "    pub const fn new() -> Self {", is("new", DefinitionKind::Method));
    check("a.rs", "pub struct Pool<T> {", is("Pool", DefinitionKind::Type));
    check("a.rs", "impl<T> Drop for Pool<T> {", is("Pool", DefinitionKind::Mention));
    check("a.rs", "macro_rules! select {", is("select", DefinitionKind::Function));
    check("a.rs", "pub mod net;", is("net", DefinitionKind::Mention));
    check("a.rs", "        call(a, b);", None);
    check("a.py", "class Field(Base):", is("Field", DefinitionKind::Type));
    check("a.py", "    async def get(self):", is("get", DefinitionKind::Method));
    check("a.py", "LIMIT = 10", is("LIMIT", DefinitionKind::Value));
    check("a.py", "if x == 1:", None);
    check("a.go", "func (s *Server) Serve(l net.Listener) error {", is("Serve", DefinitionKind::Method));
    check("a.go", "type Handler interface {", is("Handler", DefinitionKind::Type));
    check("a.ts", "export default class Store<S> extends Base {", is("Store", DefinitionKind::Type));
    check("a.ts", "export const make = (a: number) => {", is("make", DefinitionKind::Function));
    check("a.ts", "  async dispatch(action) {", is("dispatch", DefinitionKind::Method));
    check("a.js", "Route.prototype.all = function all() {", is("all", DefinitionKind::Method));
    check("a.js", "  if (x) {", None);
    check("a.js", "  return foo(x) {", None);
    check("a.c", "static int ngx_open(ngx_str_t *name)", is("ngx_open", DefinitionKind::Function));
    check("a.c", "uv_run(uv_loop_t* loop) {", is("uv_run", DefinitionKind::Function));
    check("a.c", "  foo(bar);", None);
    check("a.h", "int uv_read(int fd);", is("uv_read", DefinitionKind::Mention));
    check("a.h", "struct node {", is("node", DefinitionKind::Type));
    check("a.c", "#define MAX_FILES 10", is("MAX_FILES", DefinitionKind::Value));
    check("a.cc", "Status DBImpl::Get(const Slice& key) {", is("Get", DefinitionKind::Function));
    check("A.java", "    public static String join(Object[] parts) {", is("join", DefinitionKind::Method));
    check("A.java", "public final class Strings {", is("Strings", DefinitionKind::Type));
    check("A.java", "        return join(parts);", None);
    check("A.cs", "    internal async Task<int> RunAsync()", is("RunAsync", DefinitionKind::Method));
    check("a.kt", "data class User(val name: String)", is("User", DefinitionKind::Type));
    check("a.kt", "fun <T> List<T>.second(): T = this[1]", is("second", DefinitionKind::Function));
    check("a.swift", "public protocol Sink {", is("Sink", DefinitionKind::Type));
    check("a.scala", "case class Point(x: Int)", is("Point", DefinitionKind::Type));
    check("a.rb", "  def self.parse?(text)", is("parse", DefinitionKind::Method));
    check("a.rb", "module Rack", is("Rack", DefinitionKind::Type));
    check("a.php", "    public function &getName(): string", is("getName", DefinitionKind::Method));
    check("a.ex", "defmodule Plug.Router do", is("Router", DefinitionKind::Type));
    check("a.ex", "  defp run(x) do", is("run", DefinitionKind::Method));
    check("a.erl", "handle_call(Request, From, State) ->", is("handle_call", DefinitionKind::Function));
    check("a.hs", "parseJSON :: Value -> Parser a", is("parseJSON", DefinitionKind::Function));
    check("a.lua", "function M.split(text)", is("split", DefinitionKind::Function));
    check("a.lua", "local function trim(s)", is("trim", DefinitionKind::Function));
    check("a.zig", "pub fn init(allocator: Allocator) Self {", is("init", DefinitionKind::Function));
    check("a.zig", "pub const ArrayList = struct {", is("ArrayList", DefinitionKind::Type));
    check("a.sh", "log_error() {", is("log_error", DefinitionKind::Function));
    check("a.clj", "(defn parse [x]", is("parse", DefinitionKind::Function));
    check("a.md", "class of its own", None);
}

proptest::proptest! {
    #[test]
    fn a_name_is_part_of_its_line(line in "( {0,4})(pub |static |export |def |class |fn |impl |<|\\(|\\)|[a-z_]{1,4}| |::|=|\\{|;|é){0,14}") {
        for file in ["a.rs", "a.py", "a.js", "a.c", "A.java", "a.sh", "a.hs", "a.clj"] {
            if let Some((name, _)) = find_definition(&line, language_of(file)) {
                proptest::prop_assert!(!name.is_empty() && line.contains(name));
            }
        }
    }
}
