#!/usr/bin/env bash
# install-editor.sh EDITOR SUITE DEST: an editor for the tests, in the folder DEST inside the project's ignored .e2e/.
#   EDITOR  nvim, hx (Helix) or emacs
#   SUITE   a Debian suite: trixie has Neovim 0.10, Helix 25.01 and Emacs 30; forky and sid have Neovim 0.12
# The package and all that it needs, libc included, are taken from the Debian mirror that this machine is set up for and
# unpacked into DEST; DEST/EDITOR runs it with its own loader and libraries. The system's packages, sources and libc are
# not touched. Where that cannot be had, a system editor that is new enough is linked instead, and said so. A second run
# finds what the first one made. The last line printed is the path of the program.
set -euo pipefail

usage() { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -eq 3 ] || usage
editor=$1 suite=$2
project=$(cd "$(dirname "$0")/../.." && pwd)
case $3 in /*) dest=$3 ;; *) dest=$PWD/$3 ;; esac
dest=$(realpath -m "$dest")
case $dest in
  "$project"/.e2e/*) ;;
  *) echo "install-editor: DEST must be inside $project/.e2e/, not $dest" >&2; exit 2 ;;
esac
case $suite in trixie | forky | sid) ;; *) echo "install-editor: the suite must be trixie, forky or sid, not $suite" >&2; exit 2 ;; esac

# What is known of each editor: its package, how old it may be, and whether a program is one that runs here.
case $editor in
  nvim)
    package=neovim oldest='0.10'
    runs() { "$1" --headless --clean -l <(echo "os.exit(vim.fn.has('nvim-0.10') == 1 and 0 or 1)"); }
    ;;
  hx)
    package=hx oldest='25.01'
    runs() { "$1" --version | grep -qE '^helix (2[5-9]|[3-9])'; }
    ;;
  emacs)
    package=emacs-nox oldest='30'
    runs() { "$1" -Q --batch -l eglot --eval '(or (>= emacs-major-version 30) (kill-emacs 1))'; }
    ;;
  *) echo "install-editor: the editor must be nvim, hx or emacs, not $editor" >&2; exit 2 ;;
esac
works() { [ -x "$1" ] && runs "$1" >/dev/null 2>&1; }

if works "$dest/$editor"; then
  echo "$dest/$editor"
  exit 0
fi

# The system's own, where Debian's cannot be had.
fallback() {
  echo "install-editor: $1" >&2
  local system
  system=$(command -v "$editor" || true)
  if [ -n "$system" ] && works "$system"; then
    rm -rf "$dest"
    mkdir -p "$dest"
    ln -s "$system" "$dest/$editor"
    echo "install-editor: using the system's $system ($("$system" --version | head -1)) in place of $suite's" >&2
    echo "$dest/$editor"
    exit 0
  fi
  echo "install-editor: and there is no system $editor of $oldest or newer" >&2
  exit 1
}

for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || fallback "$tool is not here; this is no Debian"
done
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || fallback "no loader is known for $(uname -m)"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r $keyring ] || fallback "Debian's keyring is not here"

# shellcheck disable=SC2016 # apt fills these in, not the shell
mirror() { apt-get indextargets --format '$(REPO_URI)|$(LABEL)|' 'Created-By: Packages' 2>/dev/null | grep -F '|Debian|' | head -1 | cut -d'|' -f1; }
# What apt was last told of; where it was never updated, what its sources say.
uri=$(mirror || true)
[ -n "$uri" ] || uri=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -1 | tr -d ' ' || true)
[ -n "$uri" ] || fallback "no Debian mirror stands in apt's sources"

work=$dest.part
rm -rf "$work"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/root"
trap 'rm -rf "$work"' EXIT
: >"$work/apt/status"
echo "deb [signed-by=$keyring] $uri $suite main" >"$work/apt/sources.list"
cat >"$work/apt/apt.conf" <<CONF
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$work/apt/lists";
Dir::State::status "$work/apt/status";
Dir::Cache::archives "$work/apt/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Install-Recommends "false";
APT::Get::List-Cleanup "false";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "";
Debug::NoLocking "true";
CONF
fetch() {
  local tool=$work/apt/apt.conf
  APT_CONFIG=$tool apt-get update -qq >&2 && APT_CONFIG=$tool apt-get install -y -qq --download-only "$package" patchelf >/dev/null
}
fetch || fallback "$suite could not be fetched from $uri"
for deb in "$work"/apt/archives/*.deb; do dpkg-deb -x "$deb" "$work/root"; done

rm -rf "$dest"
mv "$work/root" "$dest"
loader=$(find "$dest" \( -name 'ld-linux-x86-64.so.2' -o -name 'ld-linux-aarch64.so.1' \) | head -n 1)
case $package in emacs-nox) program=$dest/usr/bin/emacs-nox ;; *) program=$(readlink -f "$dest/usr/bin/$editor") ;; esac
libraries=$(find "$dest" -name '*.so*' -printf '%P\n' | sed 's|/[^/]*$||' | sort -u | grep lib | grep -v -e gconv -e nvim -e hx/runtime | sed "s|^|$dest/|" | paste -sd:)
# patchelf comes in the same prefix, and runs there, so that nothing is installed for it.
"$loader" --library-path "$libraries" "$dest/usr/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
# The folders that its build has as absolute paths.
share=$dest/usr/share
case $editor in
  nvim) finds="VIM='$share/nvim' VIMRUNTIME='$share/nvim/runtime'" ;;
  hx) finds="HELIX_RUNTIME='$dest/usr/lib/hx/runtime'" ;;
  emacs)
    lisp=$(dirname "$(find "$share/emacs" -type d -name lisp)")
    dump=$(find "$dest/usr" -name '*.pdmp')
    finds="EMACSDATA='$lisp/etc' EMACSDOC='$lisp/etc' EMACSLOADPATH='$lisp/lisp' EMACSPATH='$(dirname "$dump")'"
    program="$program' '--dump-file=$dump"
    ;;
esac
cat >"$dest/$editor" <<RUN
#!/bin/sh
export $finds
exec '$program' "\$@"
RUN
chmod +x "$dest/$editor"
works "$dest/$editor" || { rm -rf "$dest"; fallback "what $suite packs does not run here"; }
echo "$dest/$editor"
