export type { Answer, ChangesOf, Event, Item, ListPath } from "./calls.ts";
export { HeadwaterError, type Reason } from "./error.ts";
export type { Followed, FollowOptions } from "./events.ts";
export { Headwater, type HeadwaterOptions } from "./headwater.ts";
export type { components, operations, paths } from "./schema.d.ts";
export { type Delivery, verifyWebhook } from "./webhook.ts";

/**
 * The custom fields of your own workspace. `npx @headwater/client types` writes a file that declares them here, and by it the records
 * of this client have them. (Another module can only add to an interface of the module that it names.)
 */
// oxlint-disable-next-line no-empty-interface
export interface CustomFields {}
