#!/bin/sh
# What has happened: one workspace needs something back that was there at a backup of everything, such as values that a wrong edit has
#   overwritten more than 30 days ago. The others have worked on, so that backup cannot be put in place. Or: its archive was taken by an
#   older release, and so cannot be put in beside others.
# What this does: puts the archive into a scratch database, where it is brought up to date, takes the one workspace out of it, and puts
#   that into the running service as a copy beside the present one, with ids of its own. Nothing else changes, and nothing of the copy
#   acts by itself.
# Needs: the settings of the service; ARCHIVE, the backup of everything or of this workspace; ORGANIZATION, the id of the workspace; ADMIN,
#   the e-mail address of a member who is to look at the copy; SCRATCH, an empty folder; and SCRATCH_DATABASE_URL, an empty database, where
#   the built-in PostgreSQL is not wanted. KEEP_IDS=yes puts it in under the ids that it had, where it is gone. HEADWATER as in steps.sh.
# It worked when it ends with the id of the copy and a key for it. An id of the copy begins with the same 19 characters as that of its record:
#   wrong_bulk_edit.mjs put_back compares them. Afterwards delete the copy (DELETE /organization/{id}/) and SCRATCH.
. "$(dirname "$0")/steps.sh"
need ARCHIVE "the backup of everything or of this workspace"
need ORGANIZATION "the id of the workspace"
need ADMIN "the e-mail address of a member"
need SCRATCH "an empty folder"

in_scratch() {
  DATA_DIR=$SCRATCH DATABASE_URL=${SCRATCH_DATABASE_URL:-} DATABASE_POOLER_URL='' S3_BUCKET='' S3_ACCESS_KEY_ID='' \
    S3_SECRET_ACCESS_KEY='' $HEADWATER "$@"
}

step "Put the archive into the scratch database"
if $HEADWATER verify "$ARCHIVE" | grep "of $ORGANIZATION alone"; then
  in_scratch restore "$ARCHIVE" --organization
else
  in_scratch restore "$ARCHIVE" --without-secrets
fi

step "Take the workspace out of it"
in_scratch backup "$SCRATCH/workspace.tar" --organization "$ORGANIZATION"

step "Put it in"
ids=--new-ids
[ "${KEEP_IDS:-}" != yes ] || ids=
said=$($HEADWATER restore "$SCRATCH/workspace.tar" --organization $ids)
echo "$said"
copy=$(echo "$said" | sed -n 's/^Restored as \(orga_[0-9a-z]*\).*/\1/p')
[ -n "$copy" ] || fail "It did not say which id the copy has."

step "A key for it"
echo "organization $copy"
echo "key          $($HEADWATER key create --organization "$copy" --email "$ADMIN" --name "A copy of before")"
