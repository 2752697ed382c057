// `node scripts/pictures.ts`: makes the pictures of the README from a running service: the reference, a quote as the customer gets it, and a
// webhook that arrives.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../src/db/embedded/index.ts";
import { escapeHtml } from "../src/values/html.ts";
import { launchBrowser } from "../test/support/browser.ts";
import { freePort } from "../test/support/free_port.ts";
import { organization, type Workspace } from "../test/support/given.ts";
import { guideOf } from "../test/support/guides.ts";
import { startService } from "../test/support/service.ts";
import { withWorker } from "../test/support/worker.ts";

const root = new URL("..", import.meta.url).pathname;
const pictures = join(root, "docs/pictures");
const size = { width: 1280, height: 900 };

const folder = mkdtempSync(join(tmpdir(), "headwater-pictures-"));
const database = await startEmbedded({ dataDir: folder });
process.env.TEST_DATABASE_URL = database.url;
const service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
const browser = await launchBrowser();
try {
  mkdirSync(pictures, { recursive: true });
  const acme = await organization(service);
  await picture("reference", `${service.url}/docs/resources/lead/`);
  await picture("quote", await quotePage(acme));
  await picture("webhook", `data:text/html;charset=utf-8,${encodeURIComponent(terminal(await webhookArrives(acme)))}`);
} finally {
  await browser.close();
  await service.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function picture(name: string, address: string): Promise<void> {
  const page = await browser.newPage({ viewport: size });
  await page.goto(address);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.close();
}

async function quotePage(acme: Workspace): Promise<string> {
  await acme.put(`/organization/${acme.id}/`, {
    name: "Sitwell Homes",
    currency: "EUR",
    settings: { branding: { name: "Sitwell Homes", address: "1 Harbour Street\nNewport Beach" } },
  });
  const lead = await acme.lead({
    name: "Bluth Company",
    contacts: [{ name: "Gob Bluth", emails: [{ email: "gob@bluth.example" }] }],
  });
  const quote = await acme.post("/quote/", {
    lead_id: lead.id,
    contact_id: lead.contacts[0].id,
    name: "Model home, first section",
    terms: "Valid for 30 days. Half is due on acceptance.",
    line_items: [
      {
        name: "Model home",
        description: "Two floors, four bedrooms, as seen at the fair.",
        quantity: 1,
        unit_price: 12_000_000,
        tax_percent: 19,
      },
      { name: "Garden", description: "Lawn and eight trees.", quantity: 1, unit_price: 850_000, tax_percent: 19 },
      { name: "Banana stand", quantity: 2, unit_price: 95_000, tax_percent: 19 },
    ],
  });
  const { public_url } = await acme.put(`/quote/${quote.id}/`, { status: "open" });
  return `${service.url}${new URL(public_url).pathname}`;
}

/** What the receiver of the guide prints. */
async function webhookArrives(acme: Workspace): Promise<string> {
  const port = await freePort();
  const webhook = await acme.post("/webhook/", { url: `http://127.0.0.1:${port}/`, events: ["lead.created", "opportunity.*"] });
  const [, script] = /<!-- file: receiver.mjs -->\n```js\n(.*?)```/s.exec(guideOf("docs/webhooks.md"))!;
  writeFileSync(join(folder, "receiver.mjs"), script!);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const env = { PATH: process.env.PATH, PORT: String(port), SIGNATURE_KEY: webhook.signature_key };
  const receiver = spawn(process.execPath, ["receiver.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  receiver.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  await once(receiver.stdout, "data");
  await acme.post(`/webhook/${webhook.id}/test/`);
  const lead = await acme.lead({ name: "Bluth Company" });
  const deal = await acme.opportunity({ lead_id: lead.id, value: 1_200_000 });
  await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  await withWorker(service, (worker) => worker.drained());
  receiver.kill();
  return `$ SIGNATURE_KEY=whsec_… node receiver.mjs\n${said}`;
}

function terminal(text: string): string {
  return `<!doctype html><title>A webhook</title><style>
    body { margin: 0; background: #10141a; color: #d7dde6; font: 24px/1.7 ui-monospace, "DejaVu Sans Mono", monospace; }
    pre { margin: 48px; white-space: pre-wrap; }
  </style><pre>${escapeHtml(text)}</pre>`;
}
