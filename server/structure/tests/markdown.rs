//! Sections of Markdown.

use crate::StructureErrorCode::{Ambiguous, BadValue, NotThere};
use crate::{PartAddress, PartChange, StructureError, change_part, find_part};

use super::code_of;

const README: &str = "---\ntitle: x\n---\n\n# Tool\n\nText.\n\n## Usage\n\nRun it.\n\n```sh\n# no heading\n```\n\n### Options\n\n- one\n\nSetext\n------\n\nBody.\n\n## Options\n\nOther.\n";

fn heading(address: &str) -> PartAddress {
    PartAddress::Heading(address.to_owned())
}

fn change(address: &str, new: Option<&str>) -> Result<String, StructureError> {
    let change = new.map_or(PartChange::Remove, |new| PartChange::Text(new.to_owned()));
    change_part("README.md", README, &heading(address), &change)
}

#[test]
fn a_section_is_read_with_its_subsections() {
    let part = |address| &README[find_part("README.md", README, &heading(address)).unwrap()];
    assert_eq!(part("Usage"), "## Usage\n\nRun it.\n\n```sh\n# no heading\n```\n\n### Options\n\n- one");
    assert_eq!(part("Usage > Options"), "### Options\n\n- one");
    assert_eq!(part("Setext"), "Setext\n------\n\nBody.");
    assert_eq!(part("## usage"), part("Usage"));
    assert_eq!(part("Tool > Options"), "## Options\n\nOther.");
}

#[test]
fn a_section_is_replaced_below_its_heading() {
    let cases = [
        ("Usage > Options", "- two\n", README.replace("- one", "- two")),
        (
            "Usage > Options",
            "### Flags\n\n- two\n",
            README.replace("### Options\n\n- one", "### Flags\n\n- two"),
        ),
        ("Setext", "New.", README.replace("Body.", "New.")),
        ("Usage > Options", "", README.replace("### Options\n\n- one", "### Options")),
    ];
    for (address, new, expected) in cases {
        assert_eq!(change(address, Some(new)).unwrap(), expected, "{address}");
    }
    assert_eq!(change("Usage > Options", None).unwrap(), README.replace("### Options\n\n- one\n\n", ""));
    assert_eq!(change("Setext", None).unwrap(), README.replace("Setext\n------\n\nBody.\n\n", ""));
}

#[test]
fn a_section_that_would_reach_further_is_refused() {
    assert_eq!(code_of(change("Usage > Options", Some("```sh\nopen"))), BadValue);
    assert_eq!(code_of(change("Usage > Options", Some("text\n\n## Other\n"))), BadValue);
    assert_eq!(code_of(change("Options", Some("x"))), Ambiguous);
    let error = change("Optons", Some("x")).unwrap_err();
    assert_eq!(error.code, NotThere);
    assert!(error.hints.iter().any(|hint| hint == "Tool > Usage > Options (line 17)"), "{:?}", error.hints);
}
