//! A session log that was altered is named when somebody asks why, and nothing from it is reported.

use std::time::Instant;

use serde_json::{Value, json};

use super::carried::{BEGIN, agent_writes, hooked, text, with_two};
use super::noted::{by, why};
use crate::support::PATIENCE;
use crate::support::agent::{place, wherefore};

#[test]
fn an_altered_log_is_named_and_nothing_that_stands_in_it_is_said() {
    let here = place();
    let here = here.path();
    hooked(here);
    agent_writes(here, &with_two());
    let (sound, warned) = why(here, "c.rs");
    assert_eq!(warned, "");
    let of_agent: Vec<usize> = (0..sound.len()).filter(|line| by(&sound)[*line] == "agent").collect();
    assert_eq!(of_agent.len(), with_two().lines().count() - BEGIN.lines().count(), "{sound:?}");
    let session = sound[of_agent[0]]["session"].as_str().unwrap();
    let log = here.join("work/.wherefore/sessions").join(session).join("session-log.md");
    let written = std::fs::read_to_string(&log).unwrap();
    let altered = written.replace("Call two and three", "Call six and seven");
    assert_ne!(altered, written);
    std::fs::write(&log, altered).unwrap();

    let (lines, warned) = why(here, "c.rs");
    assert!(warned.contains(session) && warned.contains("damaged, first at session-log.md"), "{warned}");
    assert_eq!(lines.len(), text(here).lines().count(), "one object a line");
    for (at, line) in lines.iter().enumerate() {
        if !of_agent.contains(&at) {
            assert_eq!(line, &sound[at]);
            continue;
        }
        assert_eq!((&sound[at]["log"], &line["log"]), (&Value::Null, &json!("altered")), "{line}");
        let mut without = line.clone();
        without["log"] = Value::Null;
        assert_eq!(without, sound[at], "what was recorded outside of the workspace");
    }
    for (form, word) in
        [(&[][..], "; its log was altered\n"), (&["--porcelain"], "\nwherefore-log altered\n")]
    {
        let output = wherefore(here, &[&["why", "c.rs"], form].concat()).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && shown.contains(word), "{form:?}: {shown}");
        assert!(shown.contains("Call two and three") && !shown.contains("Call six"), "{form:?}: {shown}");
    }
    let (_, warned) = why(here, "c.rs:1");
    assert_eq!(warned, "", "a line of no call of that session");
    // Cut at its end.
    let end = written.trim_end().rfind("\n## ").unwrap();
    std::fs::write(&log, &written[..=end]).unwrap();
    let (_, warned) = why(here, "c.rs");
    assert!(warned.contains(session) && warned.contains("cut at the end"), "{warned}");
    std::fs::write(&log, &written).unwrap();
    // A folder without read permission, and one that a person removed.
    let folder = log.parent().unwrap();
    let aside = folder.with_extension("aside");
    std::fs::rename(folder, &aside).unwrap();
    let (_, warned) = why(here, "c.rs");
    assert_eq!(warned, "", "it is gone");
    std::os::unix::fs::symlink(folder, folder).unwrap();
    let (lines, warned) = why(here, "c.rs");
    assert!(warned.contains(session) && warned.contains("not to be read"), "{warned}");
    assert_eq!(lines[of_agent[0]]["log"], "altered");
    std::fs::remove_file(folder).unwrap();
    std::fs::rename(&aside, folder).unwrap();
    assert_eq!(why(here, "c.rs"), (sound.clone(), String::new()));

    // The tool, whose own calls make the log grow.
    let asked = json!({ "path": "c.rs", "why": "Learn who wanted these lines before they are changed" });
    let ask = || {
        let told = wherefore(here, &["call", "provenance.why", &asked.to_string()]).output().unwrap();
        (String::from_utf8(told.stdout).unwrap(), String::from_utf8(told.stderr).unwrap())
    };
    let (shown, warned) = ask();
    assert!(shown.contains("Call two and three") && !shown.contains("altered"), "{shown}{warned}");
    let now = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, now.replace("Call two and three", "Call six and seven")).unwrap();
    let until = Instant::now() + PATIENCE;
    let (shown, warned) = loop {
        let (shown, warned) = ask();
        if shown.contains("altered") || Instant::now() > until {
            break (shown, warned);
        }
    };
    assert!(shown.contains(r#""log":"altered""#) && !shown.contains("Call six"), "{shown}");
    assert!(warned.contains(session) && warned.contains("nothing here is taken from it"), "{warned}");
}
