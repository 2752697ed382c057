// A list as the caller sees it, read in the transaction of a write: it shows what has been committed meanwhile.
import type { Ctx } from "../core/context.ts";
import { type Given, JsonText, type Operation } from "../core/operation.ts";

export async function listedIn(
  ctx: Ctx,
  list: Operation,
  { params = {}, query }: Partial<Pick<Given, "params">> & Pick<Given, "query">,
): Promise<Record<string, unknown>[]> {
  const { input } = list.parse(ctx, { params, query, body: {}, strict: true });
  const output = await list.run(ctx, input);
  return (output instanceof JsonText ? JSON.parse(output.text) : (output as any)).data;
}
