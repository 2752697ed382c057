import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { conversation } from "./conversation.ts";
import { createConversation, deleteConversation, updateConversation } from "./conversation_verbs.ts";
import { listConversations } from "./list_conversations.ts";
import { postMessage } from "./post_message.ts";
import { restoreConversation } from "./restore.ts";
import { messages } from "./show_conversation.ts";
import { tryInboxRules } from "./try_rules.ts";

export const conversations: Operation[] = [
  ...standard(
    conversation,
    {
      list: listConversations,
      get: true,
      create: createConversation,
      update: updateConversation,
      delete: deleteConversation,
    },
    "member",
    { alone: messages },
  ),
  postMessage,
  restoreConversation,
  tryInboxRules,
];
