// Undoes the deletion of a conversation.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { emit } from "../../records/event.ts";
import { checkOwner, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { anyConversation, conversation } from "./conversation.ts";
import { showConversation, shownConversation } from "./show_conversation.ts";

export const restoreConversation = operation({
  name: "conversation.restore",
  method: "POST",
  path: "/conversation/{id}/restore/",
  doc: "Restores a deleted conversation. One that is not deleted stays as it is.",
  permission: "member",
  input: { id: z.string() },
  output: shownConversation,
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, anyConversation, id);
    checkOwner(ctx, anyConversation, before, "update");
    if (before.deleted_at !== null) {
      const after = store.update(ctx, conversation, before, { deleted_at: null, deleted_by: null }, undefined, null);
      emit(ctx, conversation, { action: "restored", after });
    }
    return showConversation(ctx, id);
  },
});
