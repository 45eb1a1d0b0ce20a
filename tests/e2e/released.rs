//! The package of `.ci/release` is unpacked and installed, and the program runs from there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::report_skip;

fn ran(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// This build without its symbols, which are most of it.
fn stripped(folder: &Path) -> PathBuf {
    let program = folder.join("wherefore");
    let built = env!("CARGO_BIN_EXE_wherefore");
    if !Command::new("strip").arg("-o").arg(&program).arg(built).status().is_ok_and(|status| status.success())
    {
        std::fs::copy(built, &program).unwrap();
    }
    program
}

fn file(folder: &Path, end: &str) -> PathBuf {
    let mut names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names
        .find(|path| path.to_str().is_some_and(|path| path.ends_with(end)))
        .unwrap_or_else(|| panic!("no *{end}"))
}

#[test]
fn the_files_of_a_release_are_installed_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let [out, home, npm] = ["out", "home", "npm"].map(|name| folder.path().join(name));
    for place in [&home, &npm] {
        std::fs::create_dir(place).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/release");
    ran(Command::new(script).arg(&out).env("WHEREFORE_BIN", stripped(folder.path())).env("VSIX", "no"));
    ran(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&out));
    let version = format!("wherefore {}\n", env!("CARGO_PKG_VERSION"));

    ran(Command::new("tar").arg("xzf").arg(file(&out, "-linux-gnu.tar.gz")).current_dir(&home));
    let unpacked = file(&home, "-linux-gnu");
    let mut program = Command::new(unpacked.join("wherefore"));
    assert_eq!(ran(program.arg("--version").env_clear().env("HOME", &home)), version);
    for name in [
        "README.md",
        "LICENSE-MIT",
        "man/man1/wherefore-review.1",
        "completions/wherefore.zsh",
        "nvim/doc/tags",
        "nvim/plugin",
    ] {
        assert!(unpacked.join(name).exists(), "{name}");
    }

    is_where_binstall_looks(&out, &unpacked);
    neovim_takes(&unpacked.join("nvim"), &home);

    std::fs::write(npm.join("package.json"), "{}").unwrap();
    let platform = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let packages: Vec<PathBuf> =
        platform.filter(|path| path.extension().is_some_and(|end| end == "tgz")).collect();
    assert_eq!(packages.len(), 3, "{packages:?}");
    has_plugins(&out, &home);
    let quiet = ["install", "--offline", "--no-audit", "--no-fund", "--silent"];
    ran(Command::new("npm").args(quiet).args(&packages).current_dir(&npm).env("HOME", &home));
    let installed = npm.join("node_modules/.bin/wherefore");
    assert_eq!(ran(Command::new(&installed).arg("--version")), version);
    let nothing = Command::new(&installed)
        .args(["search", "--lexical", "nowhere", "--root"])
        .arg(&npm)
        .output()
        .unwrap();
    assert_eq!(nothing.status.code(), Some(1), "its exit code is passed on: {nothing:?}");

    // If the package of the machine is missing, the front package names the remedy.
    let theirs = npm.join("node_modules").join(format!("wherefore-linux-{}", cpu()));
    std::fs::remove_dir_all(theirs).unwrap();
    let missing = Command::new(&installed).output().unwrap();
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(missing.status.code() == Some(1) && said.contains("--omit=optional"), "{said}");
}

/// The machine as npm names it.
fn cpu() -> &'static str {
    if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" }
}

/// The plugins are there, each package of npm has the name of its registry, and the bundle's program runs.
fn has_plugins(out: &Path, home: &Path) {
    ran(Command::new("tar")
        .arg("xzf")
        .arg(file(out, concat!("wherefore-plugins-", env!("CARGO_PKG_VERSION"), ".tar.gz")))
        .current_dir(home));
    let plugins = home.join(concat!("wherefore-plugins-", env!("CARGO_PKG_VERSION")));
    let read = |path: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(plugins.join(path)).unwrap()).unwrap()
    };
    assert!(plugins.join("claude/.claude-plugin/plugin.json").is_file() && !plugins.join("bundle").exists());
    let front = file(out, concat!("/wherefore-", env!("CARGO_PKG_VERSION"), ".tgz"));
    let front = ran(Command::new("tar").args(["xzf"]).arg(front).args(["-O", "package/package.json"]));
    let front: serde_json::Value = serde_json::from_str(&front).unwrap();
    assert_eq!(front["mcpName"], read("registry/server.json")["name"]);
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return report_skip("python3 is not installed: the bundle is not made");
    }
    let unpack = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let bundle = home.join("bundle");
    ran(Command::new("python3").args(["-c", unpack]).arg(file(out, ".mcpb")).arg(&bundle));
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(bundle.join("manifest.json")).unwrap()).unwrap();
    let program = bundle.join(manifest["server"]["entry_point"].as_str().unwrap());
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    assert!(ran(Command::new(program).arg("--version")).contains(env!("CARGO_PKG_VERSION")));
}

/// `cargo binstall` finds the tarball, and the program in it, by the words of Cargo.toml.
fn is_where_binstall_looks(out: &Path, unpacked: &Path) {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let manifest: toml::Value = toml::from_str(&manifest).unwrap();
    let said = &manifest["package"]["metadata"]["binstall"];
    let target = unpacked.file_name().unwrap().to_str().unwrap();
    let target = target.trim_start_matches(concat!("wherefore-", env!("CARGO_PKG_VERSION"), "-"));
    let filled = |text: &str| {
        let words = [
            ("{ name }", "wherefore"),
            ("{ bin }", "wherefore"),
            ("{ version }", env!("CARGO_PKG_VERSION")),
            ("{ target }", target),
            ("{ archive-suffix }", ".tar.gz"),
            ("{ binary-ext }", ""),
        ];
        words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value))
    };
    let url = filled(said["pkg-url"].as_str().unwrap());
    assert!(out.join(url.rsplit('/').next().unwrap()).is_file(), "{url}");
    let program = filled(said["bin-dir"].as_str().unwrap());
    assert!(unpacked.parent().unwrap().join(&program).is_file(), "{program}");
    assert_eq!(said["pkg-fmt"].as_str(), Some("tgz"));
}

/// Neovim has the command and the help from the folder, by its own packages and by `vim.pack`.
fn neovim_takes(plugin: &Path, home: &Path) {
    let nvim = Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e/nvim-0.12/nvim");
    if !nvim.exists() {
        return report_skip("nvim-0.12 is not installed (tests/run installs it)");
    }
    let print = "lua print(vim.fn.exists(':Wherefore'), #vim.fn.getcompletion('wherefore-setup', 'help'))";
    let has = |home: &Path, first: &str| {
        let mut command = Command::new(&nvim);
        command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
        let output = command.args(["--headless", "-c", first, "-c", print, "-c", "qa!"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("2 1"), "{said}");
    };
    let start = home.join(".local/share/nvim/site/pack/mine/start");
    std::fs::create_dir_all(&start).unwrap();
    std::os::unix::fs::symlink(plugin, start.join("wherefore")).unwrap();
    has(home, "let g:nothing = 0");

    let other = home.join("other");
    std::fs::create_dir(&other).unwrap();
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "the plugin"]] {
        let name = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
        ran(Command::new("git").arg("-C").arg(plugin).args(name).args(args));
    }
    let add = format!(
        "lua vim.pack.add({{ {{ src = 'file://{}', name = 'wherefore' }} }}, {{ confirm = false }})",
        plugin.display()
    );
    has(&other, &add);
}
