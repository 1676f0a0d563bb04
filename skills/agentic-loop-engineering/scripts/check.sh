#!/bin/sh
# Is this skill whole? Prints a line for each thing that is checked; exit status 0 where all of it holds, else 1.
#
#     sh check.sh              assets, SKILL.md, scripts, and every example: compiled twice, linted, gated
#     sh check.sh --assets     the same without linter and gate, which take some seconds for each example
#
# Runs from any folder, on bare sh. Its Python is the first of these that has the package agent-loop-katas:
# $PYTHON, the active environment, the .venv that start.py makes in a clone, python3, python.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
skill=$(dirname -- "$here")
clone=$(dirname -- "$(dirname -- "$skill")")

for python in "${PYTHON:-}" \
  "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}" "${VIRTUAL_ENV:+$VIRTUAL_ENV/Scripts/python.exe}" \
  "$clone/.venv/bin/python" "$clone/.venv/Scripts/python.exe" python3 python; do
  # -P: a folder called simulator where we happen to stand is not the package.
  if [ -n "$python" ] && "$python" -P -c 'import simulator.commands.skill' >/dev/null 2>&1; then
    exec "$python" -P -X utf8 -m simulator.commands.skill "$skill" "$@"
  fi
done

echo "FAIL  Python: none that has the package agent-loop-katas. Run \`python start.py setup\` in a clone of it," \
  "or name a Python that has it: PYTHON=... sh check.sh" >&2
exit 1
