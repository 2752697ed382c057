#!/bin/sh
# What has happened: the service moves to another machine, another PostgreSQL, or from a folder for files to S3.
# What this does: `moved_house.sh leave` on the old machine stops the service and writes everything into one archive. Then
#   `moved_house.sh arrive` on the new one reads the archive whole, puts it into an empty database and starts the service. In between you
#   copy the archive over, and afterwards you lead the address of the service to the new machine.
# Needs: on each machine its own settings of the service; BASE_URL is the same on both. ARCHIVE, the file (to arrive also an address such
#   as s3://bucket/house.tar). With a SECRET_KEY of your own, the same one. HEADWATER, START, STOP and URL as in steps.sh.
# It worked when `arrive` ends with "The service lives here now" and the counts of both halves are the same. Nothing is sent twice: the
#   old service does nothing any more. Do not start it again; keep its database until you are content.
. "$(dirname "$0")/steps.sh"
need ARCHIVE "the file in which everything moves"

case ${1:-} in
leave)
  step "Stop the old service, so that nothing is done after the backup"
  sh -c "$STOP"
  step "Take everything along"
  $HEADWATER backup "$ARCHIVE"
  $HEADWATER verify "$ARCHIVE"
  echo "Copy $ARCHIVE to the new machine. The old service must not start again."
  ;;
arrive)
  step "Put everything in its place"
  # It is read whole before anything is touched. What became due on the way is done here.
  $HEADWATER restore "$ARCHIVE" --was-stopped
  step "Start the service"
  start_and_wait
  $HEADWATER doctor || echo "See above what the doctor found; the service answers."
  echo
  echo "The service lives here now. Lead its address here."
  ;;
*) fail "Say leave on the old machine, and arrive on the new one." ;;
esac
