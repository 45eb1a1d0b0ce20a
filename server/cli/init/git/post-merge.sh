# >>> wherefore: what a squash joins is kept until it is committed (wherefore init --git)
if [ "$1" = 1 ] && command -v {program} >/dev/null 2>&1; then
  {program} git hook post-merge "$1" </dev/null >/dev/null 2>&1 || :
fi
# <<< wherefore
