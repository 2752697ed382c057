#!/bin/sh
# What has happened: SECRET_KEY (or DATA_DIR/secret_key) is lost, so nobody can open what is sealed with it: passwords of mailboxes,
#   tokens and keys of other services, signing keys of webhooks. Everything else is there.
# What this does: takes a backup of everything else, puts it into a new DATA_DIR or database, says which secrets somebody has to enter
#   again, and starts the service there. What was there before stays as it is.
# Needs: the settings of the service, with SECRET_KEY set to a new key (not needed if the key lies in DATA_DIR: then a new one is
#   made); ARCHIVE, the file for the backup; NEW_DATA_DIR, an empty folder, and if DATABASE_URL is set, NEW_DATABASE_URL, an empty
#   database. SWITCH, a command that makes them the settings of the service, such as `cp new.env /etc/headwater.env`, unless START
#   takes them from the environment. SWITCH, HEADWATER, START, STOP and URL are described in steps.sh.
# It worked when it ends with "The service is back". The list above that line is what to enter again; webhooks in it wait with a new
#   signing key until somebody activates them.
. "$(dirname "$0")/steps.sh"
need ARCHIVE "the file into which everything but the secrets goes"
need NEW_DATA_DIR "an empty folder"
[ -z "${DATABASE_URL:-}" ] || need NEW_DATABASE_URL "an empty database"

step "Stop the service"
sh -c "$STOP" || echo "Nothing had to be stopped."

step "Take everything but the secrets"
$HEADWATER backup "$ARCHIVE" --without-secrets

step "Put it into the new place"
DATA_DIR=$NEW_DATA_DIR
DATABASE_URL=${NEW_DATABASE_URL:-}
export DATA_DIR DATABASE_URL
# Nobody did anything since the backup: what has become due is done there.
$HEADWATER restore "$ARCHIVE" --without-secrets --was-stopped

step "Start the service there"
start_and_wait
echo "The service is back."
