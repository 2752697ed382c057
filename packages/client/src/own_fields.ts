import type { CustomFields } from "./index.ts";

type FieldsOf<Kind extends string> = Kind extends keyof CustomFields ? CustomFields[Kind] : unknown;

/** What the records at a path have of the workspace's custom fields. */
export type OwnFields<P> = P extends "/lead/" | "/lead/{id}/"
  ? FieldsOf<"lead">
  : P extends "/contact/" | "/contact/{id}/"
    ? FieldsOf<"contact">
    : P extends "/opportunity/" | "/opportunity/{id}/"
      ? FieldsOf<"opportunity">
      : unknown;
