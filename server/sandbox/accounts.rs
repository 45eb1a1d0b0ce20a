//! The accounts that a command finds: the person's own, root and nobody, in place of all that the machine has.

use std::fs;

/// The file of the machine's accounts.
pub(crate) const ACCOUNTS: &str = "/etc/passwd";
/// The accounts that programs expect on every machine.
const EXPECTED: [&str; 2] = ["root", "nobody"];

/// Returns the lines of the accounts that a command needs to know; none where the machine has no such file.
pub(crate) fn read_shown_accounts() -> Option<Vec<u8>> {
    let accounts = fs::read_to_string(ACCOUNTS).ok()?;
    Some(select_accounts(&accounts, rustix::process::getuid().as_raw()).into_bytes())
}

/// Returns the lines of root, nobody, and of the person whose number is `person`.
fn select_accounts(accounts: &str, person: u32) -> String {
    let is_shown = |line: &&str| {
        let mut fields = line.split(':');
        let name = fields.next().unwrap_or_default();
        let number = fields.nth(1).and_then(|number| number.parse().ok());
        EXPECTED.contains(&name) || number == Some(person)
    };
    accounts.split_inclusive('\n').filter(is_shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_finds_the_accounts_that_it_needs_and_no_other() {
        let accounts = "root:x:0:0:root:/root:/bin/bash\nmail:x:8:8:mail:/var/mail:/usr/sbin/nologin\n\
                        nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\nan odd line\n\
                        dev:x:1000:1000:Dev:/d:/bin/zsh\neve:x:1001:1001:Eve:/e:/bin/sh\n";
        let shown = select_accounts(accounts, 1000);
        let names: Vec<_> = shown.lines().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(names, ["root", "nobody", "dev"]);
        assert!(shown.ends_with("/bin/zsh\n"), "{shown}");
    }
}
