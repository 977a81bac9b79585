# What the scripts share; source it. Messages go to stderr, so that stdout has only results.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# system_field NAME: a field of /etc/os-release; empty if it has none.
system_field() { (. /etc/os-release; printf %s "${!1:-}"); }

# warn_if_untested: says so on a system that LeafGlyph is not tested on.
warn_if_untested() {
  case "$(system_field ID) $(system_field VERSION_ID)" in
    "debian 12"|"debian 13") ;;
    *) say "$(system_field PRETTY_NAME) is not tested, only Debian 12 and 13; trying all the same";;
  esac
}

# install_packages NAME...: installs the Debian packages that are missing.
install_packages() {
  command -v dpkg-query >/dev/null || die "this script installs Debian packages; on another system install those of tools/setup/packages.txt by hand and run cmake --preset release -DLEAFGLYPH_TESTS=OFF -DLEAFGLYPH_BENCHMARKS=OFF"
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  warn_if_untested
  say "installing ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "root rights are needed to install ${missing[*]}; run as root or install sudo"
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# use_data_beside: points the tests to the data in ../shared/data, beside the checkout. Tests whose
# data are missing are skipped.
use_data_beside() {
  local data=$root/../shared/data
  if [ -d "$data/flavia" ]; then export LEAFGLYPH_FLAVIA=$data/flavia; fi
  if [ -d "$data/images" ]; then export LEAFGLYPH_IMAGES=$data/images; fi
  if [ -f "$data/lookalikes.txt" ]; then export LEAFGLYPH_LOOKALIKES=$data/lookalikes.txt; fi
}

# libraries_of FILE: a line "soname path" for every shared library that a program or library needs,
# also through others.
libraries_of() {
  local missing
  missing=$(ldd "$1" | awk '/not found/ {print $1}')
  [ -z "$missing" ] || die "$1 needs libraries that are not there: $missing"
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}'
}

# A file of each library that is compiled into the command and the Python module, for its licence.
compiled_in=(/usr/lib/*/libfaiss.a /usr/include/nlohmann/json.hpp /usr/include/kainjow/mustache.hpp
             /usr/include/utf8cpp/utf8.h /usr/include/boost/math/special_functions/bessel.hpp)

# copy_licences FOLDER FILE...: copies the copyright file of each Debian package that has the files.
copy_licences() {
  local folder=$1 file package
  shift
  mkdir -p "$folder"
  for file in "$@"; do
    file=$(realpath "$file")
    package=$(dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}") \
      || die "no Debian package has $file, so its licence is unknown"
    package=${package%%:*}
    cp -L "/usr/share/doc/$package/copyright" "$folder/$package"
  done
}

# build_time: the seconds that files of a release state: SOURCE_DATE_EPOCH if it is set, or the time
# of the commit, which the files of a source archive have.
build_time() { echo "${SOURCE_DATE_EPOCH:-$({ [ -e "$root/.git" ] && git -C "$root" log -1 --format=%ct 2>/dev/null; } || stat -c %Y "$root/CHANGELOG.md")}"; }

# check_packages LOG FILE...: ends the script if lintian finds an error in Debian packages. Those that
# nobody answers for have no address that it would take for one.
check_packages() {
  local log=$1 nobody=()
  shift
  if dpkg-deb -f "$1" Maintainer | grep -q '<nobody@localhost>'; then
    nobody=(--suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog)
  fi
  lintian --allow-root --fail-on error --tag-display-limit 0 "${nobody[@]}" "$@" >"$log" 2>&1 \
    || { grep '^E' "$log" >&2; die "lintian found errors; its log is $log"; }
}

# part COMMAND...: runs a part of a long check and prints the seconds it took. If it fails, the
# whole check ends.
part() {
  local TIMEFORMAT="==> $*: %0R s, %0U s of processor time"
  time "$@" || die "$* failed; what comes after it was not run"
}

# Packages to build and use the command; those that its tests and the other scripts need as well;
# those that only the site and the list of a release's libraries need.
install_user_packages() { mapfile -t names < "$root/tools/setup/packages.txt"; install_packages "${names[@]}" "$@"; }
install_developer_packages() {
  mapfile -t names < "$root/tools/setup/packages_developers.txt"
  # The encoder of libheif, which tests need, is in a package of its own since Debian 13.
  if apt-cache show libheif-plugin-x265 >/dev/null 2>&1; then names+=(libheif-plugin-x265); fi
  install_user_packages "${names[@]}" "$@"
}
install_release_packages() {
  mapfile -t names < "$root/tools/setup/packages_release.txt"
  install_packages "${names[@]}"
}

# build PRESET [-DNAME=VALUE...] [TARGET...]: configures and builds. Shows the end of the log only
# if something fails.
build() {
  local preset=$1 log target=() settings=()
  shift
  while [[ ${1:-} == -D* ]]; do settings+=("$1"); shift; done
  [ $# -gt 0 ] && target=(--target "$@")
  log=$root/build/$preset.log
  mkdir -p "$root/build"
  say "building ($preset); the log is build/$preset.log"
  if ! (cd "$root" && cmake --preset "$preset" "${settings[@]}" && cmake --build --preset "$preset" "${target[@]}") >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "the build failed; the whole log is $log"
  fi
}

# fetch_from_npm FOLDER PACKAGE: installs a package of npm, which only tests use, in build/FOLDER.
fetch_from_npm() {
  command -v npm >/dev/null || die "npm is missing; install it with: apt-get install npm"
  npm install --prefix "$root/build/$1" --no-save --no-audit --no-fund --ignore-scripts "$2"
}
