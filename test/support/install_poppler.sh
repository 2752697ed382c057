#!/bin/sh
# Installs the tools that read and draw PDFs for tests, on Debian and similar systems.
set -e
[ -x /usr/bin/pdftotext ] && [ -x /usr/bin/pdftoppm ] && exit 0
# Several test processes may need them at once. The first installs them, and the others wait for its lock and find them installed.
exec 9>/tmp/headwater-install-poppler.lock
flock 9
[ -x /usr/bin/pdftotext ] && [ -x /usr/bin/pdftoppm ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=120 update -qq
apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends poppler-utils
