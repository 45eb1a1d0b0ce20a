//! Finding tools in a small catalogue: order, confidence, nodes, odd requests.

use proptest::prelude::*;
use serde_json::json;

use super::{ToolDirectory, ToolIndex, ToolItem};
use crate::catalogue::load_catalogue;
use crate::protocol::{
    Code, Fault, ListNodeAnswer, ListNodeParams, SearchNodesParams, SearchToolsAnswer, SearchToolsParams,
};

fn index() -> ToolIndex {
    let tool = |id: &str, path: [&str; 2], description: &str, arguments: &[&str]| {
        let properties: serde_json::Map<_, _> =
            arguments.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({ "type": "object", "properties": properties });
        ToolItem::read_json(
            &json!({ "id": id, "path": path, "name": id, "description": description, "schema": schema }),
        )
        .unwrap()
    };
    ToolIndex::new(vec![
        tool(
            "files.readText",
            ["Files", "Read"],
            "Reads a text file. Large ones in parts.",
            &["path", "range"],
        ),
        tool("files.deleteFile", ["Files", "Change"], "Removes a file for good.", &["path"]),
        tool("files.copyFile", ["Files", "Change"], "Copies a file or folder.", &["source", "target"]),
        tool(
            "weather.getForecast",
            ["Web", "Weather"],
            "The forecast of a city for some days.",
            &["city", "days"],
        ),
        tool(
            "mail.sendMessage",
            ["Web", "Mail"],
            "Sends a message to people.",
            &["recipients", "subject", "body"],
        ),
    ])
}

fn first(request: &str) -> String {
    let index = index();
    let found = index.search_under(request, None, &[], 3);
    found.first().map(|found| index.items()[found.item].id.clone()).unwrap_or_default()
}

#[test]
fn what_is_asked_for_comes_first() {
    assert_eq!(first("delete the file"), "files.deleteFile");
    assert_eq!(first("I want to erase a file I no longer need"), "files.deleteFile");
    assert_eq!(first("what is the weather in Paris tomorrow"), "weather.getForecast");
    assert_eq!(first("send an email to my team"), "mail.sendMessage");
    assert_eq!(first("readText"), "files.readText");
    assert_eq!(first("copying folders"), "files.copyFile");
}

/// Returns that of these tools, each a name and a description, which comes first.
fn first_of(tools: &[(&str, &str)], request: &str) -> String {
    let tool = |(name, description): &(&str, &str)| {
        let value = json!({ "id": name, "path": ["All"], "name": name, "description": description });
        ToolItem::read_json(&value).unwrap()
    };
    let index = ToolIndex::new(tools.iter().map(tool).collect());
    index.items()[index.search_under(request, None, &[], 1)[0].item].id.clone()
}

#[test]
fn what_only_asks_counts_little() {
    let tools = [("help_me", "Provides help and information."), ("move_crane", "Moves the crane. Slowly.")];
    assert_eq!(first_of(&tools, "Can you help me with information on how the crane turns?"), "move_crane");
    assert_eq!(first_of(&tools, "help me"), "help_me", "it counts where nothing else does");
}

#[test]
fn a_sentence_may_say_it_in_another_word() {
    let tools = [("alpha", "Prints the document."), ("omega", "Removes the document.")];
    assert_eq!(first_of(&tools, "erase the document"), "omega");
}

#[test]
fn a_word_of_related_meaning_counts_where_the_word_is_lacking() {
    let tools = [("alpha", "The temperature of a crane."), ("omega", "The salary of a crane.")];
    assert_eq!(first_of(&tools, "what a crane earns"), "omega");
    assert_eq!(first_of(&tools, "how hot is the crane"), "alpha");
}

#[test]
fn a_word_with_the_same_ending_is_nearer() {
    let tools = [("alpha", "Shows the cranes."), ("omega", "Shows the crane.")];
    assert_eq!(first_of(&tools, "show the crane"), "omega");
    assert_eq!(first_of(&tools, "show the cranes"), "alpha");
}

#[test]
fn a_tool_that_does_something_else_stands_back() {
    let tools = [("alpha", "Deletes the rules of a crane."), ("omega", "Numbers the rules of a crane.")];
    assert_eq!(first_of(&tools, "update the rules of a crane"), "omega");
    assert_eq!(first_of(&tools, "the rules of a crane"), "alpha", "nothing else is asked for");
}

#[test]
fn a_clear_request_is_surer_than_a_vague_one() {
    let index = index();
    let sure = |request: &str| index.search_under(request, None, &[], 1)[0].confidence;
    assert!(sure("weather forecast for a city") > sure("file"), "one tool alone knows of weather");
    let all = index.search_under("file", None, &[], 10);
    assert!(all.windows(2).all(|two| two[0].confidence >= two[1].confidence), "{all:?}");
}

#[test]
fn a_chance_word_of_a_request_is_no_reason_to_be_sure() {
    let ours = ours();
    let sure = |request: &str| {
        let found = ours.index.search_under(request, None, &[], 1);
        found.first().map_or(0.0, |found| found.confidence)
    };
    for meant in ["read a file", "find text in files", "run python code", "history of commits"] {
        assert!(sure(meant) > 0.8, "{meant}: {}", sure(meant));
    }
    for other in [
        "bake a chocolate cake and read",
        "zyx wvu file",
        "sing a song about folders",
        "asdf qwer text",
        "purple elephants dance with a command",
        "book a flight to paris",
        "order a pizza",
    ] {
        assert!(sure(other) < 0.45, "{other}: {}", sure(other));
    }
    // Of one tool alone too: it has nothing beside it, and that makes it no likelier.
    let tool = json!({ "id": "move", "path": ["All"], "name": "move", "description": "Moves the crane." });
    let alone = ToolIndex::new(vec![ToolItem::read_json(&tool).unwrap()]);
    let sure = |request: &str| alone.search_under(request, None, &[], 1)[0].confidence;
    assert!(sure("move the crane") > sure("who painted the picture of a crane in the museum"));
    assert!(sure("who painted the picture of a crane in the museum") < 0.3);
}

#[test]
fn where_no_tool_answers_the_nearest_nodes_are_named() {
    let (ours, small) = (ours(), ToolDirectory::new(index().items().to_vec(), Vec::new()));
    let nodes_of = |directory: &ToolDirectory, query: &str| {
        let params = SearchNodesParams { query: query.to_owned(), limit: 5, why: None, root: None };
        directory.search_nodes(&params, None).unwrap()
    };
    let nodes = |query: &str| nodes_of(&ours, query);
    let spelled = nodes("serch memry");
    assert!(spelled.results.is_empty(), "{spelled:?}");
    assert_eq!(spelled.hints[..2], ["Search", "Memory"], "{spelled:?}");
    assert_eq!(spelled.next_action.unwrap()["arguments"]["path"], json!(["Search"]));
    let related = nodes_of(&small, "rain");
    assert_eq!(related.hints[0], "Web / Weather", "by what it is about: {related:?}");
    let unknown = nodes("zzyzx");
    assert!(unknown.hints.len() > 3, "the root's: {unknown:?}");
}

#[test]
fn only_what_stands_under_the_node_is_found() {
    let index = index();
    let within = ["Files".to_owned(), "Change".to_owned()];
    let ids: Vec<&str> = index
        .search_under("file", None, &within, 10)
        .iter()
        .map(|found| index.items()[found.item].id.as_str())
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(!ids.contains(&"files.readText"));
    assert_eq!(index.search_under("file", None, &["Nowhere".to_owned()], 10), []);
}

#[test]
fn nodes_are_found_by_what_stands_under_them() {
    let index = index();
    assert_eq!(index.search_nodes("delete or copy a file", None, 5)[0].path, ["Files", "Change"]);
    assert_eq!(index.search_nodes("weather", None, 5)[0].path, ["Web", "Weather"]);
    assert_eq!(index.search_nodes("weather", None, 5).len(), 1);
}

#[test]
fn nothing_is_found_for_nothing() {
    for request in ["", "the of and", "zzyzx", "!!!", "\u{0}"] {
        assert_eq!(index().search_under(request, None, &[], 10), [], "{request:?}");
    }
    assert_eq!(ToolIndex::new(Vec::new()).search_under("file", None, &[], 10), []);
}

/// The cosine of a request with each tool of [`index`]: one is similar, and one has no cosine.
const COSINES: [f32; 5] = [0.1, f32::NAN, 0.0, 0.1, 0.7];

#[test]
fn what_is_similar_is_found_without_a_word_of_the_request() {
    let index = index();
    let ids = |request: &str, cosines: &[f32], within: &[String]| -> Vec<String> {
        let found = index.search_under(request, Some(cosines), within, 10);
        found.iter().map(|found| index.items()[found.item].id.clone()).collect()
    };
    assert_eq!(ids("zzyzx", &COSINES, &[])[0], "mail.sendMessage");
    assert!(!ids("zzyzx", &COSINES, &[]).contains(&"files.deleteFile".to_owned()), "nothing is known of it");
    assert_eq!(
        ids("delete the file", &COSINES, &[])[0],
        "files.deleteFile",
        "what has no vector yet is found"
    );
    assert_eq!(ids("zzyzx", &COSINES, &["Web".to_owned(), "Weather".to_owned()]), ["weather.getForecast"]);
    assert_eq!(index.search_nodes("zzyzx", Some(&COSINES), 1)[0].path, ["Web", "Mail"]);
}

#[test]
fn similarity_that_tells_nothing_changes_nothing() {
    let index = index();
    let without = index.search_under("copy a file", None, &[], 10);
    for cosines in [&[][..], &[f32::NAN; 5], &[0.3; 5], &[f32::INFINITY; 5]] {
        assert_eq!(index.search_under("copy a file", Some(cosines), &[], 10), without, "{cosines:?}");
    }
    assert!(
        !index.search_under("copy a file", Some(&[0.5; 9][..]), &[], 10).is_empty(),
        "more than there are tools"
    );
    let longer = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
    assert!(index.search_under("copy a file", Some(&longer), &[], 10).iter().all(|found| found.item < 5));
}

#[test]
fn the_text_of_a_tool_begins_with_what_says_most() {
    let mut item = index().items()[0].clone();
    assert_eq!(
        item.embedding_text(),
        "files read text. Files Read. Reads a text file. Large ones in parts. path, range"
    );
    item.description = "Wörter ".repeat(1000);
    assert!(item.embedding_text().chars().count() <= 800, "{}", item.embedding_text().chars().count());
}

fn ours() -> ToolDirectory {
    let loaded = load_catalogue(crate::tools::DEFINITIONS, &[], &|_| true);
    ToolDirectory::of_definitions(&loaded.tree, &loaded.tools)
}

fn listing(path: &[&str], limit: usize, cursor: Option<String>) -> Result<ListNodeAnswer, Fault> {
    let path = path.iter().map(|name| (*name).to_owned()).collect();
    let params = ListNodeParams { path, tags: Vec::new(), query: None, limit, cursor, why: None, root: None };
    Ok(ours().list_node(&params, None)?)
}

fn searching(query: &str, path: &[&str]) -> Result<SearchToolsAnswer, Fault> {
    let category_path = path.iter().map(|name| (*name).to_owned()).collect();
    let query = query.to_owned();
    let params = SearchToolsParams { query, category_path, limit: 5, cursor: None, why: None, root: None };
    Ok(ours().search_tools(&params, None)?)
}

#[test]
fn the_root_shows_its_nodes_and_a_node_its_tools() {
    let root = listing(&[], 50, None).unwrap();
    let names: Vec<&str> = root.nodes.iter().map(|node| node.name.as_str()).collect();
    assert!(names.starts_with(&["Files", "Search"]), "{names:?}");
    let files = listing(&["Files"], 50, None).unwrap();
    assert!(files.tools.iter().all(|tool| tool.path == ["Files"]), "{files:?}");
    assert!(files.tools.iter().any(|tool| tool.tool_id == "fs.patch"));
    assert_eq!(root.tools, [], "a tool stands at its node, and not above");
}

#[test]
fn pages_follow_each_other_to_the_end() {
    for path in [&[][..], &["Files"]] {
        let all = listing(path, 50, None).unwrap();
        let (mut nodes, mut tools, mut cursor) = (Vec::new(), Vec::new(), None);
        loop {
            let page = listing(path, 3, cursor).unwrap();
            assert!((1..=3).contains(&(page.nodes.len() + page.tools.len())));
            nodes.extend(page.nodes);
            tools.extend(page.tools);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((nodes, tools), (all.nodes, all.tools));
    }
}

#[test]
fn a_limit_that_no_page_has_is_refused() {
    for limit in [0, 51, usize::MAX] {
        assert_eq!(listing(&[], limit, None).unwrap_err().code, Code::InvalidArgs, "{limit}");
    }
}

#[test]
fn a_cursor_of_another_catalogue_says_so() {
    assert_eq!(listing(&[], 3, Some("00000000-00000000-3".to_owned())).unwrap_err().code, Code::Stale);
    assert_eq!(listing(&[], 3, Some("nonsense".to_owned())).unwrap_err().code, Code::InvalidArgs);
}

#[test]
fn a_list_is_filtered_by_tags_and_by_what_is_asked() {
    let params = |tags: &[&str], query: Option<&str>| ListNodeParams {
        path: Vec::new(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        query: query.map(str::to_owned),
        limit: 10,
        cursor: None,
        why: None,
        root: None,
    };
    let tagged = ours().list_node(&params(&["read"], None), None).unwrap().tools;
    assert!(
        !tagged.is_empty() && tagged.iter().all(|tool| tool.tags.contains(&"read".to_owned())),
        "{tagged:?}"
    );
    let asked = ours().list_node(&params(&[], Some("apply a diff to a file")), None).unwrap().tools;
    assert_eq!(asked[0].tool_id, "fs.patch");
}

#[test]
fn a_tagged_tool_is_found_behind_many_others() {
    let tool = |at: usize| {
        let tags = if at == 99 { vec!["mine"] } else { Vec::new() };
        // The longer the text, the less a single match in it is worth: the tagged one comes last.
        let text = format!("Reads a file{}.", " of some kind".repeat(at));
        let id = format!("t{at}");
        ToolItem::read_json(
            &json!({ "id": id, "path": ["All"], "name": id, "description": text, "tags": tags }),
        )
        .unwrap()
    };
    let directory = ToolDirectory::new((0..100).map(tool).collect(), Vec::new());
    let params = |tags: &[&str]| ListNodeParams {
        path: vec!["All".to_owned()],
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        query: Some("read a file".to_owned()),
        limit: 50,
        cursor: None,
        why: None,
        root: None,
    };
    let ids = |tags: &[&str]| -> Vec<String> {
        directory.list_node(&params(tags), None).unwrap().tools.into_iter().map(|tool| tool.tool_id).collect()
    };
    assert_eq!(ids(&["mine"]), ["t99"]);
    assert!(!ids(&[]).contains(&"t99".to_owned()), "it is not among the best of all");
}

#[test]
fn a_node_that_is_not_there_is_answered_with_the_closest() {
    let fault = searching("a file", &["Flies"]).unwrap_err();
    assert_eq!((fault.code, fault.hints.first().map(String::as_str)), (Code::UnknownPath, Some("Files")));
    assert_eq!(fault.next_action.unwrap()["arguments"]["path"], json!(["Files"]));
    let deeper = listing(&["Files", "Deeper"], 5, None).unwrap_err();
    assert_eq!(deeper.code, Code::UnknownPath);
    assert_eq!(deeper.next_action.unwrap()["arguments"]["path"], json!(["Files"]));
}

#[test]
fn a_search_in_the_wrong_node_is_sent_to_the_right_one() {
    let fault = searching("apply a unified diff", &["Task"]).unwrap_err();
    assert_eq!(fault.code, Code::NoMatchInCategory);
    assert_eq!(fault.hints.first().map(String::as_str), Some("Files"));
    assert_eq!(fault.next_action.unwrap()["arguments"]["category_path"], json!(["Files"]));
    assert!(searching("zzyzx", &[]).unwrap_err().hints.contains(&"Files".to_owned()));
}

#[test]
fn the_built_in_tools_are_found_by_everyday_words() {
    for (query, expected) in [
        ("find text in files", "search.lexical"),
        ("look at what changed", "git.diff"),
        ("apply a unified diff", "fs.patch"),
        ("make a directory", "fs.mkdir"),
    ] {
        assert_eq!(searching(query, &[]).unwrap().results[0].tool_id, expected, "{query}");
    }
    let logged_in = searching("who is logged in", &[]);
    assert!(logged_in.is_err() || logged_in.unwrap().results[0].tool_id != "git.log");
    let tools = [("list_table", "Lists the tables."), ("drop_table", "Deletes a table.")];
    assert_eq!(first_of(&tools, "get rid of a table"), "drop_table");
}

#[test]
fn nodes_carry_their_summaries() {
    let params =
        SearchNodesParams { query: "find text in files".to_owned(), limit: 2, why: None, root: None };
    let found = ours().search_nodes(&params, None).unwrap().results;
    assert!(found.len() == 2 && found.iter().all(|node| !node.summary.is_empty()), "{found:?}");
    assert!(found.iter().any(|node| node.path == ["Search"]), "{found:?}");
}

proptest! {
    #[test]
    fn no_request_is_too_odd(request in ".{0,200}", limit in 0_usize..70) {
        let index = index();
        let found = index.search_under(&request, None, &[], limit);
        prop_assert!(found.len() <= limit);
        prop_assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.confidence)));
    }
}
