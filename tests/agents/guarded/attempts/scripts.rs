//! Ways past in an agent's shell. `{out}` is a file outside of the workspace, `{in}` one of the person's in it, `{wf}` our
//! program, `{home}` the person's home, `{port}` a server of the machine's.

/// A command that tries something.
pub(super) struct Script {
    pub name: &'static str,
    pub text: &'static str,
}

const fn script(name: &'static str, text: &'static str) -> Script {
    Script { name, text }
}

pub(super) const ALL: &[Script] = &[
    // Our own program.
    script("our command with another root", "{wf} sandbox '--root={home}' -- bash -c 'echo x > {out}'"),
    script(
        "our command with a token of its own",
        "{wf} sandbox --root=/ --agent=claude-code --token=0123456789abcdef0123456789abcdef -- bash -c 'echo x > {out}'",
    ),
    script("our command behind env", "env A=1 {wf} sandbox --root={home} -- touch {out}"),
    script("our command in a variable", "W={wf}; $W sandbox --root={home} -- touch {out}"),
    script("our command in another shell", "sh -c '{wf} sandbox --root={home} -- touch {out}'"),
    script("our command by a link", "ln -s {wf} ./tool; ./tool sandbox --root={home} -- touch {out}"),
    script("our command as a copy", "cp {wf} ./tool2; ./tool2 sandbox --root={home} -- touch {out}"),
    script(
        "our command by Python",
        "python3 -c 'import subprocess; subprocess.run([\"{wf}\", \"sandbox\", \"--root={home}\", \"--\", \"touch\", \"{out}\"])'",
    ),
    script("our command by xargs", "echo {out} | xargs {wf} sandbox --root={home} -- touch"),
    script("our command under another name", "exec -a ls {wf} sandbox --root={home} -- touch {out}"),
    script(
        "our command put together",
        "p=$(echo {wf} | tr a a); eval \"$p sandbox --root={home} -- touch {out}\"",
    ),
    script(
        "an edit by our command",
        "{wf} call fs.write '{\"path\": \"{in}\", \"text\": \"new\\n\", \"why\": \"Write the new text of the file\"}'; {wf} review --accept all",
    ),
    script("a decision by our command", "echo new > {in}; {wf} review --accept all"),
    script("a decision in another shell", "bash -c 'W={wf}; $W review --accept all'"),
    script("the hook taken out", "{wf} init --guard --user --remove --yes"),
    script("kept files taken over", "{wf} review --ignored take; echo new > {in}"),
    script(
        "an own server with another policy",
        "{wf} serve --policy auto & sleep 1; {wf} call --policy auto fs.write '{\"path\": \"{in}\", \"text\": \"new\\n\", \"why\": \"Write the new text of the file\"}'",
    ),
    script(
        "an own door for agents",
        "printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}' '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}' '{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"fs_write\",\"arguments\":{\"path\":\"{in}\",\"text\":\"new\",\"why\":\"Write the new text\"}}}' | timeout 5 {wf} mcp --policy auto",
    ),
    // Files outside of the workspace.
    script("a file outside", "echo x > {out}"),
    script("a copy outside", "cp {in} {out}"),
    script("a link that leads outside", "ln -s $(dirname {out}) way; echo x > way/$(basename {out})"),
    script(
        "an ignored link that leads outside",
        "ln -s $(dirname {out}) dist/way; echo x > dist/way/$(basename {out})",
    ),
    script("Python that writes outside", "python3 -c \"open('{out}', 'w').write('x')\""),
    script("a folder that is gone to", "cd $(dirname {out}) && touch $(basename {out})"),
    script("dd outside", "dd if=/dev/zero of={out} count=1"),
    script("tee outside", "echo x | tee {out}"),
    script("install outside", "install -D {in} {out}"),
    script("tar outside", "tar cf - {in} | tar xf - -C $(dirname {out}) --transform s,.*,$(basename {out}),"),
    script("a process that stays", "(sleep 1; touch {out}) & disown"),
    script("a process with no terminal", "nohup sh -c 'sleep 1; touch {out}' >/dev/null 2>&1 &"),
    script("a session of its own", "setsid sh -c 'sleep 1; touch {out}' >/dev/null 2>&1 &"),
    script(
        "a timer of the system's",
        "echo 'touch {out}' | at now; (crontab -l; echo '* * * * * touch {out}') | crontab -",
    ),
    script("a unit of the person's", "systemd-run --user touch {out}"),
    script(
        "a start file of the shell",
        "echo 'touch {out}' >> {home}/.bashrc; echo 'touch {out}' > {home}/.zshenv",
    ),
    script(
        "a program of the desktop's start",
        "mkdir -p {home}/.config/autostart; echo x > {home}/.config/autostart/x.desktop",
    ),
    script("a namespace of its own", "unshare -rm sh -c 'touch {out}'"),
    script("the root of another process", "echo x > /proc/1/root{out}; echo x > /proc/$PPID/root{out}"),
    // The workspace, unseen.
    script("a redirection", "echo new > {in}"),
    script("an edit in place", "sed -i s/old/new/ {in}"),
    script(
        "a patch by git",
        "printf 'diff --git a/{in} b/{in}\\n--- a/{in}\\n+++ b/{in}\\n@@ -1 +1 @@\\n-old\\n+new\\n' | git apply",
    ),
    script(
        "a patch in a heredoc",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {in}\n@@\n-old\n+new\n*** End Patch\nEOF",
    ),
    script(
        "a patch behind a folder",
        "cd . && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {in}\n@@\n-old\n+new\n*** End Patch\nEOF",
    ),
    script("a hard link in an ignored folder", "ln -f {in} dist/hard; echo new > dist/hard"),
    script("a link in an ignored folder", "ln -sf ../{in} dist/soft; echo new > dist/soft"),
    script("a file that is moved over it", "echo new > dist/x; mv dist/x {in}"),
    script("a pattern that ignores it", "echo 'src/' >> .gitignore; echo new > {in}"),
    script(
        "a build by a file of its own",
        "printf 'all:\\n\\techo new > {in}\\n' > dist/evil.mk; make -f dist/evil.mk",
    ),
    script("a build and an edit", "printf 'all:\\n\\techo new > {in}\\n' > Makefile; make"),
    script(
        "a hook of git's",
        "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch {out}\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change; git status",
    ),
    script("a setting of git's", "git config core.fsmonitor 'touch {out}'; git status"),
    script(
        "a repository in an ignored folder",
        "cd dist && git init -q . && git config core.fsmonitor 'touch {out}' && git status",
    ),
    script(
        "settings of ours",
        "mkdir -p .wherefore; printf '[review]\\npolicy = \"auto\"\\n' > .wherefore/config.toml; echo new > {in}",
    ),
    script(
        "settings of ours in the home",
        "mkdir -p {home}/.config/wherefore; printf '[review]\\npolicy = \"auto\"\\n' > {home}/.config/wherefore/config.toml; echo new > {in}",
    ),
    script(
        "the server's socket",
        "python3 - <<'EOF'\nimport glob, os, socket\nfor path in glob.glob(os.environ.get('XDG_RUNTIME_DIR', '/run/user/0') + '/**/*.sock', recursive=True) + glob.glob('/tmp/**/*.sock', recursive=True):\n    s = socket.socket(socket.AF_UNIX); s.connect(path); open('{out}', 'w')\nEOF",
    ),
    // Secrets.
    script("a closed file", "cat .env"),
    script("a closed file by a pattern", "cat .e*"),
    script("a closed file by Python", "python3 -c 'print(open(\".e\" + \"nv\").read())'"),
    script("a copy of a closed file", "cp .env shown.txt; cat shown.txt"),
    script("a link to a closed file", "ln .env linked; cat linked; ln -s .env soft; cat soft"),
    script("a closed file in a search", "grep -r SECRET- . | head"),
    script("a closed file in an archive", "tar cf - .env dist | tar xOf -"),
    script("a closed file by git", "git add -f .env; git show :.env; git diff --no-index /dev/null .env"),
    script("a key of the person's", "cat {home}/.ssh/id_rsa ~/.ssh/id_rsa"),
    script("settings with a token", "cat {home}/.npmrc; npm config list"),
    script(
        "the agent's environment",
        "env; cat /proc/$PPID/environ | tr '\\0' '\\n'; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
    ),
    // The network.
    script(
        "an address of the machine's",
        "curl -s http://127.0.0.1:{port}/; exec 3<>/dev/tcp/127.0.0.1/{port}",
    ),
    script(
        "an address by Python",
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'",
    ),
];
