#!/bin/sh
# Installs a browser for the tests of pages, on Debian and similar systems.
set -e
[ -x /usr/bin/chromium ] && exit 0
# Several test processes may need it at once. The first installs it, and the others wait for its lock and find it installed.
exec 9>/tmp/headwater-install-chromium.lock
flock 9
[ -x /usr/bin/chromium ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=120 update -qq
apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends chromium
