//! `wherefore init`: a project's settings and its first own tool, written only when the person agrees.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::print::{self, Look, Page};

/// Set a project up: settings with their defaults, an example of a tool, and what to put into an editor.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    pub dir: PathBuf,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
}

/// What is written, by its path below the project.
const FILES: [(&str, &str); 3] = [
    (".wherefore/config.toml", include_str!("init/config.toml")),
    (".wherefore/tools/example.yaml", include_str!("init/example.yaml")),
    // The folder holds logs and proposals: what it keeps is the machine's, but for what a team shares.
    (".wherefore/.gitignore", "*\n!.gitignore\n!config.toml\n!tools/\n!tools/*.yaml\n"),
];

/// How Neovim starts the server.
const NEOVIM: &str = include_str!("init/neovim.lua");

/// Shows what would be written, asks, writes. Files that are there stay as they are.
pub fn run(args: &InitArgs) -> ExitCode {
    print::exit(init(args))
}

fn init(args: &InitArgs) -> io::Result<ExitCode> {
    let page = Page::stdout();
    if !args.dir.is_dir() {
        return Err(io::Error::other(format!(
            "{} is not a folder: make it first, or name another",
            args.dir.display()
        )));
    }
    let missing: Vec<_> = FILES.iter().filter(|(path, _)| !args.dir.join(path).exists()).collect();
    for (path, text) in &missing {
        page.line(page.paint(Look::Bold, &args.dir.join(path).display().to_string()))?;
        for line in text.lines() {
            page.line(format!("    {}", page.paint(Look::Dim, line)))?;
        }
        page.line("")?;
    }
    if missing.is_empty() {
        page.line(format!("{} is set up already: nothing to write.", args.dir.display()))?;
    } else if !args.yes && !agreed(page)? {
        page.line("Nothing is written. `wherefore init --yes` writes it.")?;
        return Ok(ExitCode::SUCCESS);
    }
    for (path, text) in &missing {
        write_new(&args.dir.join(path), text)?;
    }
    page.line(format!("{} files written.", missing.len()))?;
    page.line("\nIn Neovim 0.10 or later, with this repository's editors/nvim on the runtime path:\n")?;
    NEOVIM.lines().try_for_each(|line| page.line(format!("    {line}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the person says yes. Nobody at a terminal means no.
fn agreed(page: Page) -> io::Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    page.prompt("Write this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes a file that must not be there yet.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{FILES, InitArgs, run};
    use crate::protocol::Settings;

    #[test]
    fn the_settings_shown_are_the_defaults() {
        let shown: String = FILES[0].1.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).fold(
            String::new(),
            |text, line| match line.contains(" = ") || line.starts_with('[') {
                true => text + line + "\n",
                false => text,
            },
        );
        let settings: Settings = toml::from_str(&shown).unwrap();
        assert_eq!(settings, Settings::default());
        assert_eq!(toml::from_str::<Settings>(FILES[0].1).unwrap(), Settings::default());
    }

    #[test]
    fn what_is_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".wherefore")).unwrap();
        std::fs::write(dir.path().join(FILES[0].0), "# mine\n").unwrap();
        let args = InitArgs { dir: dir.path().to_path_buf(), yes: true };
        run(&args);
        let text = |path| std::fs::read_to_string(dir.path().join(path)).unwrap();
        assert_eq!(text(FILES[0].0), "# mine\n");
        assert_eq!(text(FILES[1].0), FILES[1].1);
    }

    #[test]
    fn nothing_is_written_unasked() {
        let dir = tempfile::tempdir().unwrap();
        run(&InitArgs { dir: dir.path().to_path_buf(), yes: false });
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
