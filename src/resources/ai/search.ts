// `POST /ai/search/`: a search in words. The answer shows the query that they became, which `POST /data/search/` takes as it is.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { type JsonText, operation } from "../../core/operation.ts";
import { resourceOf } from "../../search/relations.ts";
import { isBlank } from "../../values/blank.ts";
import { dataSearch } from "../search/data_search.ts";
import { helpedByModel } from "./ask_model.ts";
import { modelInput, modelOutput } from "./model_fields.ts";
import { queryIn, queryTask } from "./query_by_model.ts";
import { queryOfWords, type Understood } from "./words_to_query.ts";

export const aiSearch = operation({
  name: "ai.search",
  method: "POST",
  path: "/ai/search/",
  doc: "Finds records by a question in words, such as `my open deals over 10k closing this month`. It answers the query that the words became, in nodes of `POST /data/search/`, and says how it was understood.",
  permission: "member",
  group: "ai",
  scope: "read",
  pastDue: true,
  transaction: false,
  input: {
    query: z.string().max(1000).describe("The question."),
    object_type: z
      .string()
      .max(64)
      .optional()
      .describe("The kind of record; by default the one that the words name, or else leads."),
    ...modelInput,
    _limit: z.int().min(0).max(200).default(25).describe("How many records at most."),
  },
  output: z.strictObject({
    query: z.looseObject({}),
    object_type: z.string(),
    data: z.array(z.looseObject({ __object_type: z.string() })),
    has_more: z.boolean(),
    explanation: z.string(),
    ...modelOutput,
  }),
  async run(ctx, given) {
    if (isBlank(given.query)) throw invalid({ query: "must say what to look for" });
    if (given.object_type !== undefined && resourceOf(ctx, given.object_type)?.search === undefined)
      throw invalid({
        object_type: "is not a kind of record that is searched: use lead, contact, opportunity, task or activity.call",
      });
    const find = async ({ remark, ...understood }: Understood) => ({
      remark,
      found: { ...understood, ...(await found(ctx, understood, given._limit)) },
    });
    const { value, ...by } = await helpedByModel(
      ctx,
      given.model,
      () => queryTask(ctx, given.query, given.object_type),
      (answer) => find(queryIn(ctx, given.query, given.object_type, answer)),
    );
    const { remark, found: all } = value ?? (await find(queryOfWords(ctx, given.query, given.object_type)));
    const notice = [by.notice, remark].filter((one) => one !== null).join(" ");
    return { ...all, ...by, notice: notice === "" ? null : notice };
  },
});

/** With the caller's rights, whoever wrote the query. */
async function found(
  ctx: Ctx,
  { query }: Pick<Understood, "query">,
  _limit: number,
): Promise<{ data: any[]; has_more: boolean }> {
  const page = (await dataSearch.run(ctx, { query, _limit, _skip: 0, include_counts: false })) as JsonText;
  const { data, has_more } = JSON.parse(page.text);
  return { data, has_more };
}
