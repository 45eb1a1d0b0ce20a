# >>> wherefore: a git note says why the lines of each commit are as they are (wherefore init --git)
if command -v {program} >/dev/null 2>&1; then
  wherefore_commit=$(git rev-parse --verify --quiet HEAD) || :
  ({program} git hook post-commit "$wherefore_commit" </dev/null >/dev/null 2>&1 &)
fi
# <<< wherefore
