#!/bin/sh
# What has happened: the disk with DATA_DIR is gone, and with it the database, the stored files and the generated key. Or somebody has
#   deleted it. Or an upgrade went wrong and the release before does not run on the new schema.
# What this does: puts a backup into an empty DATA_DIR (or the empty database of DATABASE_URL) and starts the service.
# Needs: the settings of the service, with DATA_DIR on a disk that works and BACKUP_TO where the backups are; ARCHIVE to take another
#   backup than the newest. The simplest is to mount the new disk where the old one was. Where DATA_DIR is another than before, SWITCH makes
#   it the setting of the service. SWITCH, HEADWATER, START, STOP and URL are described in steps.sh.
# It worked when it ends with "The service is back". People find what was there at the backup; readers of the feed and webhooks go on
#   from their place. People sign in again, and API keys that were revoked after the backup have to be revoked again.
. "$(dirname "$0")/steps.sh"
need DATA_DIR "a folder on a disk that works"

step "Stop what is left of the service"
sh -c "$STOP" || echo "Nothing had to be stopped."

step "Put the backup in place"
$HEADWATER restore ${ARCHIVE:+"$ARCHIVE"}

step "Start the service"
start_and_wait
$HEADWATER doctor || echo "See above what the doctor found; the service answers."
echo
echo "The service is back."
