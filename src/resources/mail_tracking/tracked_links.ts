// The targets of links in mails. A link names its target by a hash, so nobody can make it lead elsewhere: only links from the
// organization's own mails are stored.
import { createHash } from "node:crypto";
import { type Ctx, query, write } from "../../core/context.ts";
import { parseUrl } from "../../values/url.ts";
import type { Leads } from "./personal.ts";
import { isOwn, type Urls } from "./urls.ts";

/** Makes web links lead through the service, and stores their targets. Other links stay as they are. */
export class TrackedLinks {
  private readonly ctx: Ctx;
  private readonly targets = new Map<string, string>();

  constructor(ctx: Ctx) {
    this.ctx = ctx;
  }

  through({ click }: Urls): Leads {
    return (given) => {
      const url = parseUrl(given);
      if (url === null || isOwn(this.ctx.settings.base_url, url)) return null;
      const hash = hashOfUrl(url);
      this.targets.set(hash, url);
      return click(hash);
    };
  }

  /** Once, when all of them are known. */
  write(): void {
    if (this.targets.size === 0) return;
    // In a fixed order, so that two mails with the same links cannot deadlock.
    const hashes = [...this.targets.keys()].sort();
    write(this.ctx, {
      name: "mail_link.insert",
      text: `insert into mail_link (organization_id, hash, url) select $1, hash, url from unnest($2::text[], $3::text[]) as given(hash, url)
             on conflict do nothing`,
      values: [this.ctx.organization_id, hashes, hashes.map((hash) => this.targets.get(hash)!)],
    });
  }
}

const hashOfUrl = (url: string): string => createHash("sha256").update(url).digest("base64url").slice(0, 22);

/** The target of a link. Null when this organization has no such link. */
export const targetOf = async (ctx: Ctx, hash: string): Promise<string | null> =>
  (await targetsOf(ctx, [hash])).get(hash) ?? null;

/** The same of several. Those that this organization does not have are missing. */
export async function targetsOf(ctx: Ctx, hashes: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await query(ctx, {
    name: "mail_link.targets",
    text: "select hash, url from mail_link where organization_id = $1 and hash = any($2)",
    values: [ctx.organization_id, [...new Set(hashes)]],
  });
  return new Map(rows.map(([hash, url]) => [hash!, parseUrl(url!)]));
}
