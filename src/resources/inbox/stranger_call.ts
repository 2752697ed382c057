// The call of a person who is not a contact, as a message of the prospect stores it.
import type { Row } from "../../core/resource.ts";
import type { call } from "../activities/call.ts";

type Call = Row<typeof call>;

/** What a message stores about a call, under the names of the call's own fields. */
export type StrangerCall = Pick<Call, "direction" | "status" | "phone" | "local_phone" | "is_to_group_number" | "user_id"> &
  Partial<Pick<Call, "duration" | "date_answered" | "disposition" | "recording_url" | "voicemail_url" | "voicemail_duration">> & {
    provider_id: string;
  };
