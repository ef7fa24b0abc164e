/**
 * The script of the pruning Job, in any shell: for each entry of the list it deletes old runs with tkn, or, one
 * Pipeline or Task after the other, the old runs of each. A failure does not keep the rest from being done, but is
 * reported in the end. `TKN` names another program that takes the same words.
 */
export const pruneScript = `tkn=\${TKN:-tkn}
failed=0

delete_runs() {
  echo "$tkn $*"
  $tkn "$@" --force || failed=1
}

for entry in $*; do
  old_ifs=$IFS
  IFS=';'
  set -f
  set -- $entry
  set +f
  IFS=$old_ifs
  namespace=$1 flags=$(echo "$2" | tr ',' ' ') kinds=$(echo "$3" | tr ',' ' ') each=$4
  for kind in $kinds; do
    if [ "$each" != true ]; then
      delete_runs "$kind" delete $flags "--namespace=$namespace"
      continue
    fi
    parent=\${kind%run}
    names=$($tkn "$parent" list "--namespace=$namespace" --no-headers '--output=jsonpath={.items[*].metadata.name}') || {
      echo "the list of every $parent in $namespace could not be read"
      failed=1
      continue
    }
    for name in $names; do
      delete_runs "$kind" delete "--$parent=$name" $flags "--namespace=$namespace"
    done
  done
done
exit $failed
`;
