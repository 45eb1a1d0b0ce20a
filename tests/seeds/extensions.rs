//! Document 000 §2 and §7: tools of one's own, in a category of one's own, and behind servers that do not start.

use serde_json::{Value, json};

use crate::environment::Project;

/// The document's own registration.
const FRAMES: &str = "custom_tools:\n  - name: \"video.extract_frames\"\n    mcp_server: \"video-tools\"\n    description: \"Extract frames \
                      from video\"\n    input_schema:\n      properties:\n        video_path: string\n        timestamps: array\n        \
                      why: string\n      required: [video_path, timestamps, why]\n";

fn frames() -> Value {
    json!({ "video_path": "a.mp4", "timestamps": [1], "why": "See whether the title is legible in the first frame" })
}

#[test]
fn section_7_a_server_that_does_not_start_gives_its_own_reason_wherever_it_is_needed() {
    let project = Project::new(&[]);
    project.put_home(".config/wherefore/tools/video.yaml", FRAMES);
    let settings = "[mcp_servers.video-tools]\ncommand = \"sh\"\nargs = [\"-c\", \"read line; echo no codec here >&2; exit 3\"]\nimport = true\n";
    project.put_home(".config/wherefore/config.toml", settings);
    for (tool, code) in [("video.extract_frames", "INTERNAL"), ("video-tools.cut", "INTERNAL")] {
        let fault = project.call(tool, &frames()).json();
        assert_eq!(fault["code"], code, "{fault}");
        let message = fault["message"].as_str().unwrap();
        assert!(message.contains("video-tools") && message.contains("no codec here"), "{tool}: {message}");
    }
    let unknown = project.call("cut_frames", &frames()).json();
    assert!(unknown["message"].as_str().unwrap().contains("no codec here"), "{unknown}");
    let expanded = project.run(&["tools", "expand", "video-tools.cut"]);
    assert!(expanded.err.contains("no codec here") || expanded.out.contains("no codec here"), "{expanded:?}");
    let doctor = project.run(&["doctor"]).out;
    assert!(doctor.contains("mcp_servers") && doctor.contains("no codec here"), "{doctor}");
}

#[test]
fn section_7_consent_tries_the_server_once_and_says_what_came_of_it() {
    let project = Project::new(&[(".wherefore/tools/video.yaml", FRAMES)]);
    project.put(
        ".wherefore/config.toml",
        "[mcp_servers.video-tools]\ncommand = \"sh\"\nargs = [\"-c\", \"read line; echo no codec here >&2; exit 3\"]\n",
    );
    let waits = project.run(&["doctor"]).out;
    assert!(waits.contains("has not consented") && waits.contains("wherefore consent"), "{waits}");
    let fault = project.call("video.extract_frames", &frames()).json();
    let way_out = fault["suggestion"].as_str().unwrap();
    assert!(way_out.contains("`wherefore consent --yes video-tools`"), "{fault}");
    let consented = project.run(&["consent", "--yes", "video.extract_frames"]);
    assert_eq!(consented.code, Some(0), "{consented:?}");
    assert!(consented.out.contains("You consented to video-tools."), "{consented:?}");
    assert!(
        consented.out.contains("does not start") && consented.out.contains("no codec here"),
        "{consented:?}"
    );
    let fault = project.call("video.extract_frames", &frames()).json();
    assert!(fault["message"].as_str().unwrap().contains("no codec here"), "{fault}");
}

#[test]
fn section_2_a_category_of_ones_own_has_a_node_of_its_own() {
    let tool = |name: &str, category: &str| {
        format!(
            "tool:\n  name: {name}\n  description: Uploads an object to a bucket.\n  category: {category}\n  input_schema:\n    \
             properties: {{ why: string }}\n    required: [why]\n"
        )
    };
    let project = Project::new(&[
        (".wherefore/tools/put.yaml", &tool("storage.put_object", "storage")),
        (".wherefore/tools/slip.yaml", &tool("storage.slip", "serach")),
    ]);
    let listed = project.run(&["tools", "list", "Custom/storage", "--json"]);
    let text = listed.out.clone();
    assert!(text.contains("storage.put_object"), "{listed:?}");
    let slip = project.run(&["status"]).out;
    assert!(slip.contains("did you mean `search`?"), "{slip}");
}
