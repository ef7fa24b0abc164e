#!/usr/bin/env bash
# Makes etcd and kube-apiserver for the tests that want a real cluster, out of nothing but Debian 12's own packages: etcd
# is taken from its package, kube-apiserver (1.20, the one Debian has the source of) is compiled with the Go of that release.
#
#   build-from-debian.sh FOLDER        FOLDER/etcd and FOLDER/kube-apiserver exist afterwards
#
# Needs bash, apt-get, dpkg, tar and gzip, which every Debian has; no root, no compiler, no git. Packages are only unpacked,
# never installed, and apt works on folders of its own, so the machine's sources, lists and packages stay as they are.
# Takes a few minutes, once: later calls find what is there. Two calls at once wait for each other.
set -euo pipefail

target=${1:?usage: build-from-debian.sh FOLDER}
kubernetes=1.20

say() { printf 'cluster: %s\n' "$*" >&2; }
fail() {
  say "$*"
  say 'alternatively set KUBEBUILDER_ASSETS to a folder that holds etcd and kube-apiserver, or put both on the PATH'
  exit 1
}
complete() { [[ -x $target/etcd && -x $target/kube-apiserver ]]; }

for tool in apt-get dpkg-deb tar gzip flock; do
  command -v "$tool" >/dev/null || fail "cannot build a kube-apiserver here: this takes a Debian 12 machine, and $tool is missing"
done

mkdir -p "$target"
target=$(cd "$target" && pwd)
exec 9>"$target/lock"
if ! flock -n 9; then
  say 'another build is under way; waiting for it'
  flock 9
fi
if complete; then exit 0; fi
# What a build that was killed left behind; nobody else builds now.
rm -rf "$target"/build.*

# The build tree needs about 3 GB and lies beside the result; apt's folders lie where its unprivileged user can read them.
build=$(mktemp -d "$target/build.XXXXXX")
apt=$(mktemp -d)
cleanup() {
  chmod -R u+w "$build" 2>/dev/null || true
  rm -rf "$build" "$apt"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

started=$SECONDS

# The configured sources, with source packages switched on: both of apt's notations.
copy_sources() {
  local file
  mkdir -p "$apt/sources"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [[ -f $file ]]; then
      sed -n 's/^[[:space:]]*deb[[:space:]]\(.*\)/deb \1\ndeb-src \1/p' "$file" >"$apt/sources/$(basename "$file" .list).list"
    fi
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    if [[ -f $file ]]; then
      sed 's/^Types:.*/Types: deb deb-src/I' "$file" >"$apt/sources/$(basename "$file")"
    fi
  done
}

private_apt() {
  apt-get -qq \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/sources" \
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" \
    -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Get::List-Cleanup=false "$@"
}

fetch_packages() {
  say 'reading the lists of packages'
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages"
  chmod 755 "$apt"
  if [[ $(id -u) == 0 ]]; then chown -R _apt "$apt/packages" "$apt/lists/partial" "$apt/cache/archives/partial" 2>/dev/null || true; fi
  copy_sources
  private_apt update >&2 || fail 'apt-get update failed'
  cd "$apt/packages"
  say 'fetching the source of kubernetes, Go and etcd'
  private_apt source --download-only kubernetes >&2 || fail 'there is no source package of kubernetes here'
  compgen -G "kubernetes_*${kubernetes}.*.orig.tar.gz" >/dev/null ||
    fail "the source package of kubernetes is not the ${kubernetes} of Debian 12: $(echo kubernetes_*.dsc)"
  private_apt download golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev etcd-server >&2 ||
    fail 'cannot fetch Go 1.19 and etcd'
}

unpack() {
  local package
  mkdir -p "$build/root" "$source"
  for package in "$apt"/packages/*.deb; do dpkg-deb -x "$package" "$build/root"; done
  # Debian's patches are left out: they are about what kubectl prints.
  tar -xzf "$apt"/packages/kubernetes_*.orig.tar.gz -C "$source" --strip-components=1
  version=$(basename "$apt"/packages/kubernetes_*.orig.tar.gz .orig.tar.gz)
  version=v${version##*[_y]} # kubernetes_1.20.5+really1.20.2 is 1.20.2
  rm -rf "$apt"/packages
  # The source brings a library that knows how an older Go lays out its maps; with Go 1.19 the server would crash over custom
  # resources. Debian has the version that fits.
  rm -rf "$source/vendor/github.com/modern-go/reflect2"
  cp -r "$build/root/usr/share/gocode/src/github.com/modern-go/reflect2" "$source/vendor/github.com/modern-go/"
}

# One file of the server's source is not in the package: the descriptions of all types, which a generator in it writes.
generate_openapi() {
  local folders
  say 'compiling the generator of type descriptions'
  go build -o "$build/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
  folders=$(grep -rl --include='*.go' '+k8s:openapi-gen=' pkg vendor/k8s.io/*/ |
    grep -v -e _test.go -e '^vendor/k8s.io/code-generator/' -e '^vendor/k8s.io/sample-apiserver/' |
    xargs -n1 dirname | LC_ALL=C sort -u | sed 's#/\+#/#g; s#^#k8s.io/kubernetes/#' | paste -sd,)
  say 'describing all types'
  "$build/openapi-gen" -i "$folders" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$build/violations" 2>"$build/openapi.log" ||
    { tail -20 "$build/openapi.log" >&2; fail 'the generator failed'; }
}

compile() {
  local package flags='-s -w'
  say "compiling kube-apiserver $version"
  # Two packages know the version: one prints it, the other answers with it.
  for package in component-base/version client-go/pkg/version; do
    flags+=" -X k8s.io/kubernetes/vendor/k8s.io/$package.gitVersion=$version"
    flags+=" -X k8s.io/kubernetes/vendor/k8s.io/$package.gitMajor=1"
    flags+=" -X k8s.io/kubernetes/vendor/k8s.io/$package.gitMinor=${kubernetes#1.}"
  done
  go build -trimpath -tags providerless -ldflags "$flags" -o "$build/kube-apiserver" ./cmd/kube-apiserver
}

source=$build/go/src/k8s.io/kubernetes
fetch_packages
unpack
export GOROOT=$build/root/usr/lib/go-1.19 GOPATH=$build/go GOCACHE=$build/cache GOTMPDIR=$build
export GO111MODULE=off GOFLAGS= GOPROXY=off CGO_ENABLED=0 GOENV=off
export PATH=$GOROOT/bin:$PATH
cd "$source"
generate_openapi
compile
cp "$build/root/usr/bin/etcd" "$build/etcd"
chmod 755 "$build/etcd" "$build/kube-apiserver"
# Moved last and whole, so that a broken build is never taken for a finished one.
mv "$build/etcd" "$build/kube-apiserver" "$target/"
complete || fail 'the build left nothing'
say "built in $((SECONDS - started)) seconds"
