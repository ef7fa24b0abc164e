import { createHash } from 'node:crypto';
import { shellQuote } from '../installer/shell-quote.ts';

/** Files that cloud-configs replaced, by a hash of their paths: the path, the original, and the folders that were made. */
const keptFiles = '/var/lib/byoh/state/files';

export interface FileToWrite {
  readonly path: string;
  /** Octal: `0644`. */
  readonly permissions: string;
  /** `user` or `user:group`; empty leaves it as it is. */
  readonly owner: string;
  readonly append: boolean;
}

/**
 * Writes standard input into a file: into a new one beside it first, so that no reader sees half of it. What was there before is
 * kept, once, and comes back with {@link restoreFiles}.
 */
export function writeFile({ path, permissions, owner, append }: FileToWrite): string {
  const hash = createHash('sha256').update(path).digest('hex');
  return `set -euo pipefail
umask 022
file=${shellQuote(path)}
folder=$(dirname -- "$file")
kept=${keptFiles}/${hash}
if [ ! -e "$kept" ]; then
  rm -rf -- "$kept.part"
  mkdir -p -m 0700 -- ${keptFiles}
  mkdir -- "$kept.part"
  printf '%s\\0' "$file" >"$kept.part/path"
  if [ -e "$file" ] || [ -L "$file" ]; then cp -a -- "$file" "$kept.part/original"; fi
  made=$folder
  : >"$kept.part/folders"
  while [ ! -e "$made" ]; do
    printf '%s\\0' "$made" >>"$kept.part/folders"
    made=$(dirname -- "$made")
  done
  sync -- "$kept.part/path"
  mv -- "$kept.part" "$kept"
fi
mkdir -p -m 0744 -- "$folder"
new=$(mktemp -- "$folder/.byoh.XXXXXX")
trap 'rm -f -- "$new"' EXIT
${append ? '[ ! -e "$file" ] || cat -- "$file" >"$new"\n' : ''}cat >>"$new"
chmod ${shellQuote(permissions)} -- "$new"
${owner === '' ? '' : `chown ${shellQuote(owner)} -- "$new"\n`}[ ! -d "$file" ] || { echo "$file is a folder" >&2; exit 1; }
mv -f -- "$new" "$file"
`;
}

/**
 * Brings back what {@link writeFile} replaced, and deletes what it made; then the folders, of which those stay that others use by now.
 * The records are deleted last, so that a run that was killed is repeated.
 */
export const restoreFiles = `set -euo pipefail
shopt -s nullglob
rm -rf -- ${keptFiles}/*.part
for kept in ${keptFiles}/*; do
  IFS= read -r -d '' file <"$kept/path"
  if [ -e "$kept/original" ] || [ -L "$kept/original" ]; then
    mkdir -p -- "$(dirname -- "$file")"
    rm -rf -- "$file.byoh"
    cp -a -- "$kept/original" "$file.byoh"
    mv -fT -- "$file.byoh" "$file"
  else
    rm -f -- "$file"
  fi
done
for kept in ${keptFiles}/*; do
  while IFS= read -r -d '' folder; do
    [ ! -d "$folder" ] || rmdir --ignore-fail-on-non-empty -- "$folder"
  done <"$kept/folders"
done
rm -rf -- ${keptFiles}
`;
