// What tools never show: values that open something to whoever has them. A text in a record may tell an agent to pass on what it reads,
// and such a value would work for anybody, without a key.
const names = [
  "api_key",
  "client_secret",
  "invitation_url",
  "public_url",
  "share_url",
  "share_url_base64",
  "signature_key",
  "signing_secret",
  "webhook_secret",
  "webhook_url",
];
const hidden = new Set(names);
const any = new RegExp(`"(${names.join("|")}|webhook)":`);

export const notShown = "not shown to tools: read it by REST";

/** The JSON of an answer without them. Few answers have any, so the others are parsed as they are. */
export const parseShown = (json: string): any => (any.test(json) ? JSON.parse(json, withoutHidden) : JSON.parse(json));

function withoutHidden(key: string, value: unknown): unknown {
  if (typeof value === "string" && hidden.has(key)) return notShown;
  // The address of an automation's hook starts it.
  if (key === "webhook" && typeof value === "object" && value !== null && "url" in value) return { ...value, url: notShown };
  return value;
}
