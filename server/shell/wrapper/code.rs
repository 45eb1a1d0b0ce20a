//! Code that an interpreter is given as an argument or on its standard input: the files that it removes and the
//! commands that it runs, if they are literal in it. Each is turned into an equivalent script of the shell, and
//! judged as such.

mod calls;
mod value;

use super::InnerCommand;
use crate::command::{CommandInput, ShellCommand};
use crate::word::ShellWord;
use calls::CodeCall;
use value::{CodeNames, TextPiece, evaluate_expression, quoted_expression, script_of};

/// Calls of one code that are looked at.
const MOST: usize = 2000;
/// Options whose value is the next word, and no code.
const VALUES: [&str; 10] =
    ["-r", "--require", "--import", "--loader", "--conditions", "-C", "-W", "-X", "-I", "-d"];
/// Bytes of code that are read.
const LONGEST: usize = 256 << 10;

/// The languages, which differ in their strings and calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodeLanguage {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    /// Another one, whose calls have parentheses.
    Other,
}

/// Returns the commands that the code given to `program` runs.
pub(super) fn inner_of_code(program: &str, command: &ShellCommand) -> Vec<InnerCommand> {
    let Some((language, options)) = language_of(program) else { return Vec::new() };
    let code = given_code(options, command);
    let all = code.iter().filter(|code| code.len() <= LONGEST);
    let scripts = all.flat_map(|code| equivalent_scripts(language, code));
    scripts.map(|text| InnerCommand::Script { via: program.to_owned(), text }).collect()
}

/// The language of an interpreter, and the options whose value is code.
fn language_of(program: &str) -> Option<(CodeLanguage, &'static [&'static str])> {
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    Some(match stem {
        "python" | "pypy" | "ipython" | "pythonw" | "micropython" => (CodeLanguage::Python, &["-c"]),
        "node" | "nodejs" | "bun" | "tsx" | "ts-node" | "deno" | "qjs" => {
            (CodeLanguage::JavaScript, &["-e", "-p", "--eval", "--print"])
        }
        "ruby" | "jruby" | "irb" => (CodeLanguage::Ruby, &["-e"]),
        "perl" => (CodeLanguage::Perl, &["-e", "-E"]),
        "php" => (CodeLanguage::Php, &["-r", "-R", "-B", "-E", "--run"]),
        "lua" | "luajit" | "julia" | "Rscript" | "R" | "groovy" | "scala" | "tclsh" => {
            (CodeLanguage::Other, &["-e", "-E", "--eval"])
        }
        _ => return None,
    })
}

/// The code on a command line: the values of options, else what is read if no file is named.
fn given_code(options: &[&str], command: &ShellCommand) -> Vec<String> {
    let words = command.arguments();
    let mut found = Vec::new();
    let mut first: Option<&ShellWord> = None;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text.as_str();
        if let Some(value) = options.iter().find_map(|option| attached_value(text, option)) {
            found.push(value.to_owned());
        } else if options.iter().any(|option| takes_value(text, option)) {
            found.extend(words.get(at).map(|word| word.text.clone()));
            at += 1;
        } else if VALUES.contains(&text) {
            at += 1;
        } else if !word.is_option() {
            first = Some(word);
            break;
        }
    }
    if matches!(first.and_then(ShellWord::plain_text), Some("eval")) {
        found.extend(words.get(at..).into_iter().flatten().map(|word| word.text.clone()));
    } else if found.is_empty()
        && first.is_none_or(|word| word.text == "-")
        && let CommandInput::Text(Some(text)) | CommandInput::Pipe(Some(text)) = &command.input
    {
        found.push(text.clone());
    }
    found
}

/// Returns the value in an option's own word: `--eval=…`, `-e…`.
fn attached_value<'t>(text: &'t str, option: &str) -> Option<&'t str> {
    let value = text.strip_prefix(option)?;
    match option.starts_with("--") {
        true => value.strip_prefix('='),
        // `-pe` is a cluster, and `-print` no code; code begins with something else.
        false => Some(value).filter(|value| value.contains([' ', '(', ';', '"', '\''])),
    }
}

/// Returns whether an option, alone or at the end of a cluster, takes the next word.
fn takes_value(text: &str, option: &str) -> bool {
    let is_letter = !option.starts_with("--");
    let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.len() <= 8;
    text == option || is_letter && is_cluster && text.ends_with(option.trim_start_matches('-'))
}

/// The scripts that do what the code does.
fn equivalent_scripts(language: CodeLanguage, code: &str) -> Vec<String> {
    let calls = calls::find_calls(language, code, MOST);
    let names = CodeNames::from_code(language, code);
    let mut found: Vec<String> = Vec::new();
    let mut removes_unknown = false;
    for call in &calls {
        match classify_call(language, call) {
            Some(CallKind::Tree) => {
                found.push(removal_script("rm -r --", &removed_argument(language, call, &names)))
            }
            Some(CallKind::File) => {
                let target = removed_argument(language, call, &names);
                let is_known = matches!(target.first(), Some(TextPiece::Text(_) | TextPiece::Home));
                removes_unknown |= !is_known;
                let is_pattern =
                    call.arguments.iter().any(|text| text.contains("glob") || text.starts_with('<'));
                found.extend(is_known.then(|| match is_pattern {
                    true => format!("rm -- {}", value::pattern_of(&target)),
                    false => removal_script("rm --", &target),
                }));
            }
            Some(CallKind::Shell) => found.extend(command_of(language, call, &names)),
            None => {}
        }
    }
    if removes_unknown {
        found.extend(calls.iter().filter_map(|call| walk_removal(language, call, &names)));
    }
    found.dedup();
    found
}

/// The effects of a call that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallKind {
    /// It removes a folder with its contents.
    Tree,
    /// It removes a file or an empty folder.
    File,
    /// It runs a command.
    Shell,
}

/// Classifies a call that removes a file or folder or runs a command, by its name and arguments; none for any other.
fn classify_call(language: CodeLanguage, call: &CodeCall<'_>) -> Option<CallKind> {
    let whole = call.name.trim_start_matches("Kernel.").trim_start_matches("global.");
    let last = whole.rsplit(['.', ':', '>']).next().unwrap_or(whole);
    let arguments = call.arguments.concat();
    let shells = match language {
        CodeLanguage::Python => {
            whole.ends_with("os.system")
                || whole.ends_with("os.popen")
                || last.starts_with("getoutput")
                || last.starts_with("getstatusoutput")
                || ["subprocess.", "create_subprocess", "os.exec", "os.spawn", "pty.spawn"]
                    .iter()
                    .any(|name| whole.contains(name))
                || matches!(last, "check_call" | "check_output" | "Popen")
                || matches!(whole, "system" | "popen" | "run" | "call")
        }
        CodeLanguage::JavaScript => {
            // A regular expression has an `exec` too.
            let is_process = call.owner.is_none_or(|owner| owner.contains("process") || owner.contains("cp"));
            matches!(last, "execSync" | "spawn" | "spawnSync" | "execFile" | "execFileSync" | "execa" | "$")
                || last == "exec" && is_process
        }
        CodeLanguage::Ruby | CodeLanguage::Perl => {
            matches!(last, "system" | "exec" | "spawn" | "popen" | "capture" | "capture2" | "qx" | "`")
        }
        CodeLanguage::Php => {
            matches!(last, "system" | "exec" | "shell_exec" | "passthru" | "popen" | "proc_open" | "`")
        }
        CodeLanguage::Other => matches!(last, "execute" | "popen" | "system" | "system2" | "exec" | "run"),
    };
    let is_recursive = || arguments.to_lowercase().replace([' ', '\n'], "").contains("recursive");
    Some(match last {
        _ if shells => CallKind::Shell,
        "rmtree"
        | "remove_tree"
        | "rm_rf"
        | "rm_r"
        | "remove_dir"
        | "remove_entry"
        | "remove_entry_secure"
        | "removeSync"
        | "rimraf"
        | "rimrafSync"
        | "emptyDir"
        | "emptyDirSync"
        | "removedirs"
        | "deleteDirectory"
        | "deleteDir"
        | "deltree"
        | "secure_rmtree"
        | "rmtree_secure"
        | "rm_f" => CallKind::Tree,
        "rm" | "rmSync" | "rmdir" | "rmdirSync" | "remove" | "delete" | "unlink" if is_recursive() => {
            CallKind::Tree
        }
        "remove" if language == CodeLanguage::JavaScript && whole.starts_with("fs") => CallKind::Tree,
        "sync" | "native" if call.owner.is_some_and(|owner| owner.contains("rimraf")) => CallKind::Tree,
        "unlink" | "unlinkSync" | "rmSync" | "rmdir" | "rmdirSync" => CallKind::File,
        "remove" | "rm" | "delete" => {
            let owners = ["os.", "fs.", "File.", "Dir.", "FileUtils.", "Deno.", "Pathname", "promises."];
            if last == "rm" && language == CodeLanguage::Other
                || owners.iter().any(|owner| whole.contains(owner))
            {
                CallKind::File
            } else {
                return None;
            }
        }
        // `array_map('unlink', glob('…'))`
        "array_map" | "map" if arguments.contains("unlink") || arguments.contains("rmdir") => CallKind::File,
        _ => return None,
    })
}

/// Returns the operand that a call removes: its first argument, or its receiver.
fn removed_argument(language: CodeLanguage, call: &CodeCall<'_>, names: &CodeNames) -> Vec<TextPiece> {
    let first = call.arguments.first().copied().unwrap_or_default();
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let first = match first.split_once('=') {
        Some((name, text)) if is_name(name.trim()) && !text.starts_with('=') => text,
        _ => first,
    };
    if !first.is_empty() && !first.trim_start_matches(['\'', '"']).starts_with("unlink") {
        return evaluate_expression(language, first, names);
    }
    match call.owner {
        Some(owner) => evaluate_expression(language, owner, names),
        None => vec![TextPiece::Unknown],
    }
}

fn removal_script(command: &str, target: &[TextPiece]) -> String {
    format!("{command} {}", script_of(target))
}

/// The command that a call runs: a text for the shell, or a list of words. One that is not known is none.
fn command_of(language: CodeLanguage, call: &CodeCall<'_>, names: &CodeNames) -> Option<String> {
    let first = call.arguments.first()?.trim();
    // `qx{…}` and `%x(…)` are texts between brackets.
    if call.name == "qx" {
        return first.get(1..first.len().checked_sub(1)?).map(str::to_owned);
    }
    let list = |text: &str| {
        let inner = text.trim().strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
        Some(
            calls::split_list(inner)
                .into_iter()
                .map(|word| quoted_expression(language, word, names))
                .collect::<Vec<_>>(),
        )
    };
    if let Some(words) = list(first) {
        return Some(words.join(" "));
    }
    let text = match evaluate_expression(language, first, names).as_slice() {
        [TextPiece::Text(text)] => text.clone(),
        pieces if pieces.iter().any(|piece| matches!(piece, TextPiece::Text(_))) => {
            pieces.iter().map(|piece| piece.in_script()).collect()
        }
        _ => return None,
    };
    let rest = call.arguments.get(1..).unwrap_or_default();
    match rest.first().and_then(|rest| list(rest)) {
        Some(words) => Some([text].into_iter().chain(words).collect::<Vec<_>>().join(" ")),
        // `system("rm", "-rf", "/")`
        None if !rest.is_empty() && takes_words(language, call.name) => {
            let words = rest.iter().map(|word| quoted_expression(language, word, names));
            Some([text].into_iter().chain(words).collect::<Vec<_>>().join(" "))
        }
        None => Some(text),
    }
}

/// Returns whether the arguments of a call are the words of a command.
fn takes_words(language: CodeLanguage, name: &str) -> bool {
    let of_python = ["subprocess_exec", "os.execl", "os.spawnl"];
    matches!(language, CodeLanguage::Ruby | CodeLanguage::Perl)
        || of_python.iter().any(|known| name.contains(known))
}

/// The removal of what a call finds, if the code removes what it finds.
fn walk_removal(language: CodeLanguage, call: &CodeCall<'_>, names: &CodeNames) -> Option<String> {
    let last = call.name.rsplit(['.', ':', '>']).next().unwrap_or(call.name);
    let first = || call.arguments.first().map(|text| evaluate_expression(language, text, names));
    let owner = || call.owner.map(|owner| evaluate_expression(language, owner, names));
    let below = |command: &str, mut root: Vec<TextPiece>, name: Option<Vec<TextPiece>>| {
        root.push(TextPiece::Text("/".to_owned()));
        root.extend(name.unwrap_or_else(|| vec![TextPiece::Text("*".to_owned())]));
        Some(format!("{command} {}", value::pattern_of(&root)))
    };
    let here = || vec![TextPiece::Text(".".to_owned())];
    match last {
        // `find(sub { … }, '/')`
        "find" | "finddepth" if language == CodeLanguage::Perl => {
            let root = call.arguments.last().map(|text| evaluate_expression(language, text, names));
            below("rm -r --", root.unwrap_or_else(here), None)
        }
        "walk" => below("rm -r --", first().unwrap_or_else(here), None),
        "listdir" | "scandir" | "readdirSync" | "readdir" | "children" | "entries" | "readDirSync" => {
            below("rm --", first().or_else(owner).unwrap_or_else(here), None)
        }
        "rglob" | "iterdir" => below("rm --", owner()?, first().filter(|_| last == "rglob")),
        "glob" | "iglob" | "globSync" | "sync" | "Dir" => {
            let pattern = first()?;
            match call.owner.filter(|_| language == CodeLanguage::Python && !call.name.contains("glob.")) {
                Some(owner) => below("rm --", evaluate_expression(language, owner, names), Some(pattern)),
                None => Some(format!("rm -- {}", value::pattern_of(&pattern))),
            }
        }
        _ => None,
    }
}
