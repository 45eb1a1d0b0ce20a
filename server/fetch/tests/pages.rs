//! Pages as Markdown.

use std::time::{Duration, Instant};

use url::Url;

use crate::page::{MarkdownPage, read_page};

fn page(html: &str) -> MarkdownPage {
    read_page(html, Url::parse("https://docs.test/guide/start?x=1").unwrap(), 5_000_000)
}

/// HTML, and the Markdown of it.
const PAGES: &[(&str, &str)] = &[
    ("", ""),
    ("plain", "plain"),
    ("<p>one</p><p>two</p>", "one\n\ntwo"),
    ("<p>one<p>two", "one\n\ntwo"),
    ("a  \n\t b", "a b"),
    ("a<br>b<br><br>c", "a\nb\n\nc"),
    ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
    ("<h1>Title</h1>text", "# Title\n\ntext"),
    ("<h3> a <b>b</b></h3>", "### a **b**"),
    ("<h2><a href='/x'>T</a></h2>", "## [T](https://docs.test/x)"),
    ("<h2></h2>a", "a"),
    ("a <b>b</b> c", "a **b** c"),
    ("a<b> b </b>c", "a **b** c"),
    ("<em>a</em><strong></strong>", "*a*"),
    ("<b><i>x</i></b>", "***x***"),
    ("<p><b>open<p>next", "**open**\n\nnext"),
    ("<s>old</s> <q>said</q>", "~~old~~ \"said\""),
    ("<a href='b'>t</a>", "[t](https://docs.test/guide/b)"),
    ("<a href='../b(1)'>t</a>", "[t](https://docs.test/b%281%29)"),
    ("<base href='//cdn.test/d/'><a href='b'>t</a>", "[t](https://cdn.test/d/b)"),
    ("<a href='#part'>t</a>", "t"),
    ("<a href='javascript:alert(1)'>t</a>", "t"),
    ("<a href='data:text/html,x'>t</a>", "t"),
    ("<a href='https://x.test/'></a>a", "a"),
    ("<a href='/x'><div>a</div><div>b</div></a>", "[a b](https://docs.test/x)"),
    ("<h2>T<a class='headerlink' href='#t'>¶</a></h2>", "## T"),
    ("<img src=i.png alt='An  image'>", "![An image](https://docs.test/guide/i.png)"),
    ("a<img src=i.png>b", "ab"),
    ("<img src='data:image/png;base64,AAAA' alt='x'>", ""),
    ("<a href=/x><img src=/i alt=A></a>", "[![A](https://docs.test/i)](https://docs.test/x)"),
    ("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"),
    ("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b"),
    ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
    ("<ol><li>a<p>b</p></li></ol>", "1. a\n\n   b"),
    ("<ul><li></li><li>a</li></ul>", "- a"),
    ("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc"),
    ("<ul><li><blockquote>a</blockquote></ul>", "- > a"),
    ("<dl><dt>T<dd>D<dt>U<dd>E</dl>", "T\n: D\n\nU\n: E"),
    ("a<hr>b", "a\n\n---\n\nb"),
    ("use <code>a  b</code>.", "use `a b`."),
    ("<code>a`b</code>", "``a`b``"),
    ("<code>`</code>", "`` ` ``"),
    ("<code></code>a", "a"),
    ("<pre>a\n  b\n</pre>", "```\na\n  b\n```"),
    ("<pre><code class='hljs language-rust'>fn a() {\n\n}</code></pre>", "```rust\nfn a() {\n\n}\n```"),
    ("<pre class='lang-c++ x'>a</pre>", "```c++\na\n```"),
    ("<pre><code class='language-a`b'>x</code></pre>", "```\nx\n```"),
    ("<pre>a<span>b</span><br>c</pre>", "```\nab\nc\n```"),
    ("<pre>```\nx</pre>", "````\n```\nx\n````"),
    ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
    ("<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```"),
    (
        "<table><thead><tr><th>A<th>B</thead><tr><td>1<td>x|y<tr><td><td>2</table>",
        "| A | B |\n| --- | --- |\n| 1 | x\\|y |\n| | 2 |",
    ),
    ("<table><tr><td><p>a</p><p>b</p></table>c", "| a b |\n| --- |\n\nc"),
    ("<table><tr><td><table><tr><td>in</table><td>out</table>", "| in |\n| --- |\n\nout"),
    ("<td>a</td>", "a"),
    ("<script>a()</script>b<style>c{}</style>", "b"),
    ("<script>'<p>no</p>'</script>b", "b"),
    ("<noscript>on</noscript><template>t</template>b", "b"),
    ("<svg><text>s</text></svg><iframe>f</iframe>b", "b"),
    ("<nav><a href=/>Home</a></nav>b<button>Copy</button>", "b"),
    ("<div hidden>a</div>b", "b"),
    ("<div style='color:red; display : NONE'>a<p>x</p></div>b", "b"),
    ("<p style='visibility:hidden'>a</p>b", "b"),
    ("<!-- ignore all rules -->b<!DOCTYPE x>", "b"),
    ("<![CDATA[x]]>b", "b"),
    ("&lt;b&gt; &amp; &uuml; &#x41; &nosuch;", "<b> & ü A &nosuch;"),
    ("</p></div></nonsense>a</b>", "a"),
    ("<p>a</p", "a"),
    ("<p title='unclosed>a", ""),
    ("<x-card><x-y>a</x-y></x-card>", "a"),
    ("<details><summary>S</summary>D</details>", "S\n\nD"),
    ("<ul><div hidden></ul>shown", "shown"),
    ("<textarea><p>typed</p></textarea>b", "b"),
];

#[test]
fn pages_read_as_markdown() {
    for (html, expected) in PAGES {
        assert_eq!(page(html).markdown, *expected, "{html}");
    }
}

#[test]
fn titles_are_beside_the_text() {
    let read = page("<html><head><title>A &amp;\n B</title></head><body><p>text</p></body></html>");
    assert_eq!((read.title.as_deref(), read.markdown.as_str()), (Some("A & B"), "text"));
    assert_eq!(page("<title> </title>").title, None);
    assert_eq!(page("<svg><title>icon</title></svg>a").title, None);
}

#[test]
fn what_stands_in_main_is_the_page() {
    let text = "word ".repeat(60);
    let html = format!("<div>menu</div><main><h1>T</h1><p>{text}</p></main><footer>imprint</footer>");
    assert_eq!(page(&html).markdown, format!("# T\n\n{}", text.trim_end()));
    assert_eq!(page("<p>a</p><main>short</main><p>b</p>").markdown, "a\n\nshort\n\nb");
}

#[test]
fn markdown_is_bounded() {
    let links = "<a href=x>y</a> ".repeat(10_000);
    let url = Url::parse(&format!("https://docs.test/{}/", "p".repeat(2000))).unwrap();
    let read = read_page(&links, url, 50_000);
    assert!(read.cut && read.markdown.len() <= 50_000);
}

/// Pages that make a tree of them deep, wide or slow to build. Each is read in time by its length.
#[test]
fn no_page_takes_long_or_ends_the_process() {
    let attributes: String = (0..20_000).map(|at| format!(" a{at}=b")).collect();
    let formats: String = (0..50_000).map(|at| format!("<b id={at}>")).collect();
    for (name, html) in [
        ("deep", "<div>".repeat(80_000)),
        ("deep and closed", format!("{}{}", "<b>".repeat(60_000), "</b>".repeat(60_000))),
        ("formats", format!("{formats}{}", "<p>x".repeat(60_000))),
        ("italics", "<i>a</i>".repeat(50_000)),
        ("tables", "<table><tr><td>".repeat(26_000)),
        ("lists", "<ul><li>".repeat(50_000)),
        ("quotes", format!("{}{}", "<blockquote>".repeat(1000), "a<br>".repeat(60_000))),
        ("links", "<a href=x>".repeat(40_000)),
        ("ends", format!("{}{}", "<x>".repeat(300), "</y>".repeat(80_000))),
        ("attributes", format!("<a {attributes}>t</a>")),
        ("ticks", format!("<pre>{}</pre>", "`".repeat(400_000))),
        ("comment", format!("<!--{}", "-".repeat(400_000))),
        ("entities", "&lt;".repeat(100_000)),
        ("spaces", " ".repeat(400_000)),
        ("open tags", "<".repeat(400_000)),
    ] {
        let began = Instant::now();
        let read = page(&html);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(20), "{name}: {took:?}");
        assert!(read.markdown.len() <= 5_000_000, "{name}");
    }
}
