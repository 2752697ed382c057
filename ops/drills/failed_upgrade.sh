#!/bin/sh
# What has happened: nothing yet. This is how an upgrade goes so that its failure harms nobody.
# What this does: asks what the new release's migrations would do, takes a backup, migrates while the present release goes on, and starts
#   the new release beside it. If that does not become ready, it is stopped, and the present release goes on with the new schema.
# Needs: the settings of the service; OLD and NEW, the commands of both releases, such as /opt/headwater-2/bin/headwater; ARCHIVE, the file
#   for the backup; URL, where the present release listens; START_NEW and STOP_NEW, which start and stop the new one, and NEW_URL, where it
#   then listens. WAIT, how many seconds it gets to become ready (60).
# It worked when it ends with "The new release is ready" (end the old processes with SIGTERM, one after the other), or with
#   "The present release goes on" and exit code 0: nobody noticed. If the present release does not run on the new schema either, put the
#   backup in place: ARCHIVE=… lost_disk.sh with the old release and an empty database.
. "$(dirname "$0")/steps.sh"
need OLD "the command of the release that runs now"
need NEW "the command of the release to come"
need ARCHIVE "the file for the backup"
need START_NEW "the command that starts the new release"
need STOP_NEW "the command that stops it"
need NEW_URL "where it listens"

step "What the new release would do to the database"
$NEW migrate --check

step "Take a backup, with the release that runs"
$OLD backup "$ARCHIVE"

step "Migrate; the present release goes on"
$NEW migrate
answers "$URL" 5 || fail "The present release is not ready on the new schema: put the backup in place (lost_disk.sh)."

step "Start the new release beside it"
if sh -c "$START_NEW" && answers "$NEW_URL" "${WAIT:-60}" && $NEW doctor --at "$NEW_URL"; then
  echo "The new release is ready at $NEW_URL. Now end the old processes with SIGTERM, one after the other."
  exit 0
fi

step "It does not become ready on this database: stop it"
sh -c "$STOP_NEW" || echo "It had ended by itself."
answers "$URL" 5 || fail "The present release is not ready either: put the backup in place (lost_disk.sh)."
echo "The present release goes on, with the new schema. Read the log of the new one before you try again."
