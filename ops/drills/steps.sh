# What the drills share. Each of them reads this file; it does nothing by itself.
#
#   HEADWATER  the command of the release that runs here            (headwater, or /opt/headwater/bin/headwater)
#   START      starts the service here                              (systemctl start headwater)
#   STOP       stops it, and returns when it has ended              (systemctl stop headwater)
#   URL        where it listens                                     (http://127.0.0.1:4000)
#   SEEN_AT    where HEADWATER finds it, if that runs in a container (URL)
#   SWITCH     gives the service the settings of the drill, where it starts in another place than before, such as
#              sed -i '/^DATA_DIR=/d; $ a DATA_DIR=/new' /etc/headwater.env      (nothing)
#
# The settings of the service are in the environment too. With systemd: set -a; . /etc/headwater.env; set +a, and DATA_DIR=/var/lib/headwater
# unless another one stands there. A unit starts with its own settings, whatever is in this environment. Run by root, the drills run HEADWATER
# as the user of the unit, to whom DATA_DIR and what it writes has to belong.
set -eu
if [ -z "${HEADWATER:-}" ]; then
  HEADWATER=$(command -v headwater || echo /opt/headwater/bin/headwater)
  unit_user=$([ "$(id -u)" != 0 ] || systemctl show --property=User --value headwater 2>/dev/null || true)
  [ -z "$unit_user" ] || HEADWATER="runuser -u $unit_user -- $HEADWATER"
fi
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

# Ends only when the service works on the database of this drill, and on no other that it had before or has made.
start_and_wait() {
  sh -c "${SWITCH:-:}"
  sh -c "$START"
  answers "$URL" 120 || fail "The service at $URL is not ready after two minutes: read its log."
  $HEADWATER doctor --at "${SEEN_AT:-$URL}" && return
  sh -c "$STOP" || echo "It had ended by itself."
  fail "The service was stopped again. What was put in place is whole, and stays: give the service DATA_DIR=${DATA_DIR:-} and the DATABASE_URL of
this drill (with systemd in /etc/headwater.env, and with ReadWritePaths= in the unit), start it by: $START
and see that this finds it: $HEADWATER doctor --at ${SEEN_AT:-$URL}"
}
