//! Lines of many languages and what they define.

use super::*;
use crate::semantic::language::language;

#[test]
fn lines_tell_what_they_define() {
    let check = |file: &str, line: &str, expected: Option<(&str, Kind)>| {
        assert_eq!(definition(line, language(file)), expected, "{file}: {line}");
    };
    let is = |name: &'static str, kind: Kind| Some((name, kind));
    check("a.rs", "pub(crate) async fn read_all<T>(x: T) {", is("read_all", Kind::Function));
    check("a.rs", "    pub const fn new() -> Self {", is("new", Kind::Method));
    check("a.rs", "pub struct Pool<T> {", is("Pool", Kind::Type));
    check("a.rs", "impl<T> Drop for Pool<T> {", is("Pool", Kind::Mention));
    check("a.rs", "macro_rules! select {", is("select", Kind::Function));
    check("a.rs", "pub mod net;", is("net", Kind::Mention));
    check("a.rs", "        call(a, b);", None);
    check("a.py", "class Field(Base):", is("Field", Kind::Type));
    check("a.py", "    async def get(self):", is("get", Kind::Method));
    check("a.py", "LIMIT = 10", is("LIMIT", Kind::Value));
    check("a.py", "if x == 1:", None);
    check("a.go", "func (s *Server) Serve(l net.Listener) error {", is("Serve", Kind::Method));
    check("a.go", "type Handler interface {", is("Handler", Kind::Type));
    check("a.ts", "export default class Store<S> extends Base {", is("Store", Kind::Type));
    check("a.ts", "export const make = (a: number) => {", is("make", Kind::Function));
    check("a.ts", "  async dispatch(action) {", is("dispatch", Kind::Method));
    check("a.js", "Route.prototype.all = function all() {", is("all", Kind::Method));
    check("a.js", "  if (x) {", None);
    check("a.js", "  return foo(x) {", None);
    check("a.c", "static int ngx_open(ngx_str_t *name)", is("ngx_open", Kind::Function));
    check("a.c", "uv_run(uv_loop_t* loop) {", is("uv_run", Kind::Function));
    check("a.c", "  foo(bar);", None);
    check("a.h", "int uv_read(int fd);", is("uv_read", Kind::Mention));
    check("a.h", "struct node {", is("node", Kind::Type));
    check("a.c", "#define MAX_FILES 10", is("MAX_FILES", Kind::Value));
    check("a.cc", "Status DBImpl::Get(const Slice& key) {", is("Get", Kind::Function));
    check("A.java", "    public static String join(Object[] parts) {", is("join", Kind::Method));
    check("A.java", "public final class Strings {", is("Strings", Kind::Type));
    check("A.java", "        return join(parts);", None);
    check("A.cs", "    internal async Task<int> RunAsync()", is("RunAsync", Kind::Method));
    check("a.kt", "data class User(val name: String)", is("User", Kind::Type));
    check("a.kt", "fun <T> List<T>.second(): T = this[1]", is("second", Kind::Function));
    check("a.swift", "public protocol Sink {", is("Sink", Kind::Type));
    check("a.scala", "case class Point(x: Int)", is("Point", Kind::Type));
    check("a.rb", "  def self.parse?(text)", is("parse", Kind::Method));
    check("a.rb", "module Rack", is("Rack", Kind::Type));
    check("a.php", "    public function &getName(): string", is("getName", Kind::Method));
    check("a.ex", "defmodule Plug.Router do", is("Router", Kind::Type));
    check("a.ex", "  defp run(x) do", is("run", Kind::Method));
    check("a.erl", "handle_call(Request, From, State) ->", is("handle_call", Kind::Function));
    check("a.hs", "parseJSON :: Value -> Parser a", is("parseJSON", Kind::Function));
    check("a.lua", "function M.split(text)", is("split", Kind::Function));
    check("a.lua", "local function trim(s)", is("trim", Kind::Function));
    check("a.zig", "pub fn init(allocator: Allocator) Self {", is("init", Kind::Function));
    check("a.zig", "pub const ArrayList = struct {", is("ArrayList", Kind::Type));
    check("a.sh", "log_error() {", is("log_error", Kind::Function));
    check("a.clj", "(defn parse [x]", is("parse", Kind::Function));
    check("a.md", "class of its own", None);
}

proptest::proptest! {
    #[test]
    fn a_name_is_part_of_its_line(line in "( {0,4})(pub |static |export |def |class |fn |impl |<|\\(|\\)|[a-z_]{1,4}| |::|=|\\{|;|é){0,14}") {
        for file in ["a.rs", "a.py", "a.js", "a.c", "A.java", "a.sh", "a.hs", "a.clj"] {
            if let Some((name, _)) = definition(&line, language(file)) {
                proptest::prop_assert!(!name.is_empty() && line.contains(name));
            }
        }
    }
}
