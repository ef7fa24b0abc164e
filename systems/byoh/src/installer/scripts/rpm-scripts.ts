import type { PackageScripts } from './package-scripts.ts';

/**
 * Red Hat Enterprise Linux, Rocky and what is built like them. rpm forgets a transaction that was killed, so the files of a package are
 * noted before it is installed. Its kubelet is not enabled by its package, as that of Debian is.
 */
export const rpmScripts: PackageScripts = {
  programs: 'rpm',
  readable: 'rpm --query --package --nosignature "$bundle/$file" >/dev/null',
  check: `package_of() { rpm --query --package --nosignature --queryformat '%{NAME}' "$bundle/$1"; }
is_installed() { rpm --query "$1" >/dev/null 2>&1; }
for file in $packages; do
  package=$(package_of "$file")
  wanted=$(rpm --query --package --nosignature --queryformat '%{VERSION}-%{RELEASE}' "$bundle/$file")
  if [ ! -e "$state/package.$package" ] && is_installed "$package"; then
    have=$(rpm --query --queryformat '%{VERSION}-%{RELEASE}' "$package")
    [ "$have" = "$wanted" ] || { warn "the package $package is here already ($have); erase it first"; missing=1; }
  fi
done
# Lists what is not installed and what is in the way.
[ "$missing" != 0 ] || (cd "$bundle" && rpm --install --test --replacepkgs $packages) || missing=1
`,
  relax: `if [ "$(systemctl is-active firewalld 2>/dev/null)" = active ]; then
  systemctl is-enabled firewalld 2>/dev/null | head -n 1 | note firewall || exit 1
  must systemctl stop firewalld
  [ "$(cat "$state/firewall")" != enabled ] || must systemctl disable firewalld
fi
# Pods reach files of the host, which SELinux's policy for containers does not let them.
if command -v getenforce >/dev/null && [ "$(getenforce)" = Enforcing ]; then
  note selinux </dev/null
  must setenforce 0
fi
if [ -e "$state/selinux" ] && grep -q '^SELINUX=enforcing' /etc/selinux/config 2>/dev/null; then
  note selinux.config </dev/null
  must edit /etc/selinux/config 's/^SELINUX=enforcing/SELINUX=permissive/'
fi
`,
  prepare: `[ -e "$state/package.$package" ] || { rm -f "$state/$package.dirs"
    rpm --query --package --nosignature --queryformat '[%{FILEMODES:perms} %{FILENAMES}\\n]' "$bundle/$file" |
      while read -r mode path; do
        case $mode in
          d*) note_dirs "$package.dirs" "$path" ;;
          -* | l*) note_dirs "$package.dirs" "$(dirname "$path")"; [ -e "$path" ] || [ -L "$path" ] || printf '%s\\n' "$path" ;;
        esac
      done | note "$package.files"; } || exit 1`,
  install: 'must rpm --install --replacepkgs "${files[@]}"',
  hold: `if [ -e /etc/dnf/dnf.conf ] && [ ! -e "$state/dnf" ]; then
    printf ' %s' "\${held[@]}" | note dnf || exit 1
  fi
  if [ -e "$state/dnf" ] && ! grep -qF "$(cat "$state/dnf")" /etc/dnf/dnf.conf; then
    # A list that is there is continued: of two, the last one would count alone.
    if grep -Eq '^exclude(pkgs)?[[:space:]]*=' /etc/dnf/dnf.conf; then
      must edit /etc/dnf/dnf.conf "s/^(exclude(pkgs)?[[:space:]]*=.*)\\$/\\\\1$(cat "$state/dnf")/"
    else
      must edit /etc/dnf/dnf.conf "s/^\\\\[main\\\\]\\$/&\\\\nexcludepkgs=$(cat "$state/dnf")/"
    fi
  fi
  if [ ! -e "$state/kubelet.enabled" ] && [ "$(systemctl is-enabled kubelet 2>/dev/null)" != enabled ]; then
    note kubelet.enabled </dev/null
  fi
  must systemctl enable kubelet`,
  release: `is_here() { rpm --query "$1" >/dev/null 2>&1; }
if [ -e "$state/kubelet.enabled" ]; then
  systemctl stop kubelet >/dev/null 2>&1
  if [ "$(systemctl is-enabled kubelet 2>/dev/null)" = enabled ]; then attempt systemctl disable kubelet; fi && forget kubelet.enabled
fi
if [ -e "$state/dnf" ]; then
  if [ -e /etc/dnf/dnf.conf ]; then
    attempt edit /etc/dnf/dnf.conf "/^excludepkgs=$(cat "$state/dnf")\\$/d; s/$(cat "$state/dnf")\\$//"
  fi && forget dnf
fi
`,
  remove: 'attempt rpm --erase "${here[@]}"',
  // Also the files of a transaction that was killed, and copies of edited settings.
  removed: `while IFS= read -r path; do rm -f "$path" "$path.rpmsave" "$path.rpmnew"; done < <(cat "$state/$package.files" 2>/dev/null)
  remove_dirs "$package.dirs"
  forget "$package.files" "$package.dirs"`,
  restore: `if [ -e "$state/selinux.config" ]; then
  attempt edit /etc/selinux/config 's/^SELINUX=permissive/SELINUX=enforcing/' && forget selinux.config
fi
if [ -e "$state/selinux" ]; then attempt setenforce 1 && forget selinux; fi
if [ -e "$state/firewall" ]; then
  ok=0
  [ "$(cat "$state/firewall")" != enabled ] || attempt systemctl enable firewalld || ok=1
  attempt systemctl start firewalld || ok=1
  [ "$ok" != 0 ] || forget firewall
fi
`,
};
