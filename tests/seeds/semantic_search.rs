//! Document 000, the tool calling protocol, section 3.2: `search.vector` finds by meaning, with no model set.

use serde_json::{Value, json};

use crate::environment::Project;

const WHY: &str = "Find the place in words that the code does not use";
const SHOP: &str = include_str!("../cases/paraphrases/shop.txt");

/// The files of a case, each behind a line with `== ` and its path.
fn shop() -> Project {
    let files = SHOP.split("== ").skip(1).map(|file| file.split_once('\n').unwrap());
    Project::new(&files.collect::<Vec<_>>())
}

fn search(project: &Project, query: &str) -> (Vec<Value>, String) {
    let ran = project.call("search.vector", &json!({ "query": query, "why": WHY }));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    (ran.json().as_array().unwrap().clone(), ran.err)
}

#[test]
fn section_3_2_files_are_found_in_words_that_they_do_not_hold() {
    let project = shop();
    for (query, path) in [
        ("login", "src/auth/sign_in.ts"),
        ("post a letter", "src/mail/send_mail.ts"),
        ("shrink a picture", "src/images/thumbnail.ts"),
    ] {
        let (found, _) = search(&project, query);
        let is_there = found.iter().any(|file| file["path"] == path);
        assert!(is_there, "{query}: {:?}", found.iter().map(|file| &file["path"]).collect::<Vec<_>>());
        assert_eq!(found[0]["ranker"], "words+word-vectors", "{query}");
    }
    let (found, _) = search(&project, "createSession");
    assert_eq!((&found[0]["path"], &found[0]["ranker"]), (&json!("src/auth/session.ts"), &json!("words")));
}

#[test]
fn section_3_2_an_empty_answer_says_why_it_is_empty() {
    let project = shop();
    for (query, why) in
        [("zzyzx qwfp", "no file holds a word of the query"), ("?!", "the query holds no word")]
    {
        let (found, said) = search(&project, query);
        assert!(
            found.is_empty() && said.contains("nothing was found") && said.contains(why),
            "{query}: {said}"
        );
    }
    project.put_home(".config/wherefore/config.toml", "[embeddings]\nwords = false\n");
    let (found, said) = search(&project, "login");
    assert!(found.is_empty() && said.contains("`[embeddings] words`"), "{said}");
    let doctor = project.run(&["doctor", "--json"]).out;
    assert!(doctor.contains("`words` is false"), "{doctor}");
}
