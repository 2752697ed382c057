#!/bin/sh
# usage: install_package.sh PACKAGE PROGRAM. Installs a program for tests, on Debian and similar systems, without starting a service.
set -e
[ -x "$2" ] && exit 0
policy=/usr/sbin/policy-rc.d
# Several test processes may need it at once. The first installs it, and the others wait for its lock and find it installed.
exec 9>/tmp/headwater-install-package.lock
flock 9
[ -x "$2" ] && exit 0
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=120 update -qq
apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "$1"
