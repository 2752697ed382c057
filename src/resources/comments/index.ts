import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { comment } from "./comment.ts";
import { commentThread } from "./comment_thread.ts";
import { createComment, deleteComment, updateComment } from "./comment_verbs.ts";
import { listComments } from "./list_comments.ts";

export const comments: Operation[] = [
  ...standard(comment, { list: listComments, create: createComment, update: updateComment, delete: deleteComment }, "member"),
  ...standard(commentThread, { list: true, get: true }, "member"),
];
