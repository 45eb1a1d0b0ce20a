#!/usr/bin/env bash
# install-nvim.sh SUITE DEST: a Neovim for the tests, in the folder DEST inside the project's ignored .e2e/.
#   SUITE  a Debian suite: trixie has 0.10, forky and sid have 0.12
# The package and all that it needs, libc included, are taken from the Debian mirror that this machine is set up for and
# unpacked into DEST; DEST/nvim runs it with its own loader and libraries. The system's packages, sources and libc are
# not touched. Where that cannot be had, a system `nvim` of 0.10 or newer is linked instead, and said so. A second run
# finds what the first one made. The last line printed is the path of the program.
set -euo pipefail

usage() { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -eq 2 ] || usage
suite=$1
project=$(cd "$(dirname "$0")/../.." && pwd)
case $2 in /*) dest=$2 ;; *) dest=$PWD/$2 ;; esac
dest=$(realpath -m "$dest")
case $dest in
  "$project"/.e2e/*) ;;
  *) echo "install-nvim: DEST must be inside $project/.e2e/, not $dest" >&2; exit 2 ;;
esac
case $suite in trixie | forky | sid) ;; *) echo "install-nvim: the suite must be trixie, forky or sid, not $suite" >&2; exit 2 ;; esac

works() { [ -x "$1" ] && "$1" --headless --clean -l <(echo "os.exit(vim.fn.has('nvim-0.10') == 1 and 0 or 1)") >/dev/null 2>&1; }

if works "$dest/nvim"; then
  echo "$dest/nvim"
  exit 0
fi

# The system's own Neovim, where Debian's cannot be had.
fallback() {
  echo "install-nvim: $1" >&2
  local system
  system=$(command -v nvim || true)
  if [ -n "$system" ] && works "$system"; then
    rm -rf "$dest"
    mkdir -p "$dest"
    ln -s "$system" "$dest/nvim"
    echo "install-nvim: using the system's $system ($("$system" --version | head -1)) in place of $suite's" >&2
    echo "$dest/nvim"
    exit 0
  fi
  echo "install-nvim: and there is no system nvim of 0.10 or newer" >&2
  exit 1
}

for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || fallback "$tool is not here; this is no Debian"
done
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || fallback "no loader is known for $(uname -m)"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r $keyring ] || fallback "Debian's keyring is not here"

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
  APT_CONFIG=$tool apt-get update -qq >&2 && APT_CONFIG=$tool apt-get install -y -qq --download-only neovim patchelf >/dev/null
}
fetch || fallback "$suite could not be fetched from $uri"
for package in "$work"/apt/archives/*.deb; do dpkg-deb -x "$package" "$work/root"; done

rm -rf "$dest"
mv "$work/root" "$dest"
loader=$(find "$dest" \( -name 'ld-linux-x86-64.so.2' -o -name 'ld-linux-aarch64.so.1' \) | head -n 1)
program=$(readlink -f "$dest/usr/bin/nvim")
libraries=$(find "$dest" -name '*.so*' -printf '%P\n' | sed 's|/[^/]*$||' | sort -u | grep lib | grep -v -e gconv -e nvim | sed "s|^|$dest/|" | paste -sd:)
# patchelf comes in the same prefix, and runs there, so that nothing is installed for it.
"$loader" --library-path "$libraries" "$dest/usr/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
cat >"$dest/nvim" <<RUN
#!/bin/sh
export VIM='$dest/usr/share/nvim' VIMRUNTIME='$dest/usr/share/nvim/runtime'
exec '$program' "\$@"
RUN
chmod +x "$dest/nvim"
works "$dest/nvim" || { rm -rf "$dest"; fallback "what $suite packs does not run here"; }
echo "$dest/nvim"
