# What the drills share. Each of them reads this file; it does nothing by itself.
#
#   HEADWATER  the command of the release that runs here            (headwater)
#   START      starts the service here                              (systemctl start headwater)
#   STOP       stops it, and returns when it has ended              (systemctl stop headwater)
#   URL        where it listens                                     (http://127.0.0.1:4000)
#
# The settings of the service are in the environment too. With systemd: set -a; . /etc/headwater.env; set +a
set -eu
HEADWATER=${HEADWATER:-headwater}
START=${START:-systemctl start headwater}
STOP=${STOP:-systemctl stop headwater}
URL=${URL:-http://127.0.0.1:4000}

step() { echo; echo "== $*"; }

fail() { echo "$*" >&2; exit 1; }

# need NAME "what it is"
need() {
  eval "given=\${$1:-}"
  [ -n "$given" ] || fail "Set $1: $2."
}

# answers URL SECONDS
answers() {
  waited=0
  until curl --silent --fail --max-time 5 --output /dev/null "$1/readyz"; do
    [ "$waited" -lt "$2" ] || return 1
    waited=$((waited + 1))
    sleep 1
  done
}

start_and_wait() {
  sh -c "$START"
  answers "$URL" 120 || fail "The service at $URL is not ready after two minutes: read its log."
}
