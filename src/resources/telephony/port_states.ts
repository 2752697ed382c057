// How far a port is, and which numbers are under way by one.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { port } from "./port.ts";

type Port = Row<typeof port>;

const final: readonly Port["status"][] = ["ported", "cancelled"];

export const isOpen = ({ status }: Pick<Port, "status">): boolean => !final.includes(status);

/** The ports that are under way for any of these numbers. */
export const openFor = (ctx: Ctx, numbers: readonly string[]): Promise<Port[]> =>
  findRecords(ctx, port, [sql`t.phone_numbers && ${numbers}::text[]`, sql`t.status <> all(${final}::text[])`]);
