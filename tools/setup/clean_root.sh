# A clean Debian in which scripts try what others install; source it after common.sh. Needs root and
# a network.

# make_clean_root [--release NAME] [PACKAGE...]: makes it in $clean_root, with these packages and a
# user 1000, of this machine's release or that with this name. It is removed when the script ends.
make_clean_root() {
  local mirror release
  release=$(system_field VERSION_CODENAME)
  if [ "${1:-}" = --release ]; then release=$2; shift 2; fi
  [ "$(id -u)" -eq 0 ] || die "a root folder is made by root; run this as root"
  install_packages mmdebstrap mount dpkg-dev
  work=$(mktemp -d)
  trap remove_clean_root EXIT
  chmod 755 "$work"
  clean_root=$work/root
  say "making a clean Debian ($release)"
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null \
    | sed -n 's/^deb \([^ ]*\) .*/\1/p;s/^URIs: //p' | head -n 1) || true
  mmdebstrap --quiet --variant=apt ${1:+--include="$(IFS=,; echo "$*")"} "$release" "$clean_root" \
    "${mirror:-http://deb.debian.org/debian}"
  mount --bind "$clean_root" "$clean_root"  # mmdebstrap in there needs a / that is a mount point
  mount -t proc proc "$clean_root/proc"
  mount --rbind /dev "$clean_root/dev" && mount --make-rslave "$clean_root/dev"
  cp /etc/resolv.conf "$clean_root/etc/" 2>/dev/null || true
  mkdir -p "$clean_root/home/user"
  chown 1000:1000 "$clean_root/home/user"
}
# show_to_clean_root FOLDER PLACE: shows the folder there, to be read.
show_to_clean_root() {
  mkdir -p "$clean_root/$2"
  mount --bind -o ro "$1" "$clean_root/$2"
}
# keep_outside_clean_root FOLDER PLACE: what is written to that place stays in the folder.
keep_outside_clean_root() {
  mkdir -p "$1" "$clean_root/$2"
  mount --bind "$1" "$clean_root/$2"
}
remove_clean_root() {
  # -l: where something still runs in it.
  if mountpoint --quiet "$clean_root"; then umount -R "$clean_root" 2>/dev/null || umount -Rl "$clean_root"; fi
  rm -rf --one-file-system "$work"
}

# Runs a command as root.
inside() { chroot "$clean_root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# Runs a command as an ordinary user, in a home folder, without a network.
as_user() { unshare --net chroot --userspec=1000:1000 "$clean_root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/home/user LC_ALL=C.UTF-8 bash -c "set -euo pipefail; cd; $1"; }
# expect TEXT PART: ends the script unless the text contains the part.
expect() { grep -qF -- "$2" <<<"$1" || die "expected '$2' in: $1"; }
