#!/bin/bash
# The demo: a real file through rustio and through plain PHP. scripts/demo.sh [FILE]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# FILE is relative to where the user stands, not to the project.
file=${1:-}
if [ -n "$file" ]; then file=$(realpath -- "$file"); fi
cd "$root"
. scripts/env.sh
need_tools
export SO
exec "$PHP" -n -d memory_limit=128M -d extension="$SO" php-tests/demo.php ${file:+"$file"}
