import type { PackageScripts } from './package-scripts.ts';

/** Debian and Ubuntu. */
export const debScripts: PackageScripts = {
  programs: 'dpkg dpkg-deb dpkg-query',
  readable: 'dpkg-deb --info "$bundle/$file" >/dev/null',
  check: `package_of() { dpkg-deb -f "$bundle/$1" Package; }
known=' '
for file in $packages; do
  known="$known$(package_of "$file") "
done
is_installed() {
  case $(dpkg-query -W -f '\${db:Status-Status}' "$1" 2>/dev/null) in installed) return 0 ;; *) return 1 ;; esac
}
is_provided() {
  dpkg-query -W -f '\${db:Status-Status} \${Provides}\\n' 2>/dev/null | grep -E "^installed .*(^|[ ,])$1([ ,(]|$)" >/dev/null
}
for file in $packages; do
  package=$(package_of "$file")
  wanted=$(dpkg-deb -f "$bundle/$file" Version)
  if [ ! -e "$state/package.$package" ]; then
    have=$(dpkg-query -W -f '\${db:Status-Status} \${Version}' "$package" 2>/dev/null)
    case $have in
      '' | 'not-installed '* | "installed $wanted") ;;
      *) warn "the package $package is here already ($have); purge it first"; missing=1 ;;
    esac
  fi
  while IFS= read -r alternatives; do
    found=0
    for package in $(printf '%s' "$alternatives" | sed 's/([^)]*)//g; s/:[a-z]*//g; s/|/ /g'); do
      case $known in *" $package "*) found=1 ;; esac
      [ "$found" = 1 ] || ! is_installed "$package" || found=1
      [ "$found" = 1 ] || ! is_provided "$package" || found=1
    done
    [ "$found" = 1 ] || { warn "$file needs $(printf '%s' "$alternatives" | sed 's/^ *//'), which is not installed"; missing=1; }
  done < <(dpkg-deb -f "$bundle/$file" Pre-Depends Depends | sed 's/^[A-Za-z-]*: *//' | tr ',' '\\n' | grep -v '^ *$')
done
`,
  relax: `if command -v ufw >/dev/null && ufw status | grep '^Status: active' >/dev/null; then
  note firewall </dev/null
  must ufw disable
fi
`,
  prepare: '',
  install: 'must dpkg --install "${files[@]}"',
  // As apt-mark does it, without reading the lists of all archives first.
  hold: `printf '%s hold\\n' "\${held[@]}" | must dpkg --set-selections || exit 1`,
  release: 'is_here() { dpkg-query -W "$1" >/dev/null 2>&1; }\n',
  remove: 'attempt dpkg --purge --force-remove-reinstreq "${here[@]}"',
  removed: '',
  restore: `if [ -e "$state/firewall" ]; then
  if ! ufw status | grep '^Status: active' >/dev/null; then attempt ufw --force enable; fi && forget firewall
fi
`,
};
