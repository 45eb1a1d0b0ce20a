//! The packages hold what the profiles say, and an installed plugin keeps set-up from writing the same again.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::*;
use crate::cli::init::tests::choice;
use crate::cli::init::{InitArgs, guard, offer_setup};

fn packages() -> BTreeMap<String, String> {
    let files = package::plugin_files().chain(registry::registry_files());
    files.map(|file| (file.path, file.text)).collect()
}

#[test]
fn each_package_is_whole_and_of_this_version() {
    let files = packages();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".json")) {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(!text.contains(": null") && value.is_object(), "{path}: {text}");
        if let Some(version) = value["version"].as_str() {
            assert_eq!(version, env!("CARGO_PKG_VERSION"), "{path}");
        }
        // Registries take a hundred characters.
        assert!(value["description"].as_str().is_none_or(|text| text.len() <= 100), "{path}");
    }
    for (agent, plugin) in plugins() {
        let all: String = files
            .iter()
            .filter(|(path, _)| path.starts_with(agent.id))
            .map(|(_, text)| text.as_str())
            .collect();
        let hook = match plugin.form {
            crate::agents::PluginForm::NpmPackage => r#"["hook", "opencode", "--plugin"]"#.to_owned(),
            _ => format!("wherefore hook {} ", agent.id),
        };
        assert!(all.contains(&hook) && all.contains("--plugin"), "{}: {all}", agent.id);
        assert!(all.contains("\"mcp\"") && !all.contains("{plugin}"), "{}: {all}", agent.id);
        let readme = &files[&format!("{}/README.md", agent.id)];
        assert!(
            plugin
                .install
                .iter()
                .all(|line| readme.contains(&line.replace("{folder}", "PATH/OF/THIS/FOLDER"))),
            "{readme}"
        );
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/install.md")).unwrap();
        let lines = plugin.install.iter().map(|line| line.replace("{folder}", &format!("./{}", agent.id)));
        assert!(lines.into_iter().all(|line| page.contains(&line)), "docs/install.md: {}", agent.title);
        let page =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/uninstall.md")).unwrap();
        assert!(plugin.remove.iter().all(|line| page.contains(line)), "docs/uninstall.md: {}", agent.title);
    }
}

#[test]
fn an_installed_plugin_is_noticed_and_nothing_is_set_up_beside_it() {
    for (id, file, on, off) in [
        (
            "claude",
            ".claude/settings.json",
            r#"{"enabledPlugins": {"wherefore@wherefore": true}}"#,
            r#"{"enabledPlugins": {"wherefore@wherefore": false, "another@wherefore": true}}"#,
        ),
        (
            "codex",
            ".codex/config.toml",
            "[plugins.\"wherefore@mine\"]\nenabled = true\n",
            "[plugins.\"wherefore@mine\"]\nenabled = false\n",
        ),
        ("copilot", ".copilot/settings.json", r#"{"enabledPlugins": {"wherefore@x": true}}"#, "{"),
        (
            "opencode",
            ".config/opencode/opencode.json",
            r#"{"plugin": ["opencode-wherefore@0.1.0"]}"#,
            r#"{"plugin": ["x/opencode", "opencode-wherefore2"]}"#,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("project");
        fs::create_dir(&dir).unwrap();
        let machine = PersonMachine {
            home: Some(folder.path().to_owned()),
            config: Some(folder.path().join(".config")),
            ..PersonMachine::default()
        };
        let agent = ALL.iter().find(|agent| agent.id == id).unwrap();
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, off).unwrap();
        assert!(agent.installed_plugin(&machine, &dir).is_none(), "{id}: {off}");
        fs::write(&path, on).unwrap();
        let plugin = agent.installed_plugin(&machine, &dir).unwrap();
        assert!(!plugin.removal().is_empty() && plugin.file.ends_with(file), "{id}: {plugin:?}");
        let page = TerminalPage::stdout();
        let args = InitArgs { agents: Some(vec![choice(id)]), ..crate::cli::init::tests::args(&dir, &[]) };
        for user in [false, true] {
            let args = InitArgs { user, ..args.clone() };
            offer_setup(page, &args, &machine).unwrap();
            guard::run_guard_setup(page, &InitArgs { guard: true, ..args }, &machine).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), on, "{id}");
        let names: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [".wherefore"], "{id}");
    }
}

#[test]
fn a_package_is_known_by_its_name_or_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert!(!is_folder_with(path, "wherefore.js") && !is_folder_with("", "wherefore.js"));
    fs::write(folder.path().join("wherefore.js"), "").unwrap();
    assert!(
        is_folder_with(path, "wherefore.js") && is_folder_with(&format!("file://{path}/"), "wherefore.js")
    );
    assert!(is_package("a", "a") && is_package("a@1.0.0", "a") && !is_package("ab", "a"));
}
