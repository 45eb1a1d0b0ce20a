//! What `.ci/release` makes is unpacked and installed, and the program runs from there.

use std::path::{Path, PathBuf};
use std::process::Command;

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

    std::fs::write(npm.join("package.json"), "{}").unwrap();
    let platform = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let packages: Vec<PathBuf> =
        platform.filter(|path| path.extension().is_some_and(|end| end == "tgz")).collect();
    assert_eq!(packages.len(), 2, "{packages:?}");
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

    // Where the package of the machine is missing, the front one says what to do.
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
