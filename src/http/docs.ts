// `/docs/`: the reference, which anyone may read. Its pages load nothing from elsewhere, and `/` leads a browser to them.
import type { FastifyInstance } from "fastify";
import { notFound } from "../core/errors.ts";
import { addPage } from "./pages.ts";
import type { ReferenceFile } from "./reference.ts";
import { answer, refuse } from "./reply.ts";
import type { Exchange, Service } from "./service.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function addDocs(server: FastifyInstance, service: Service): void {
  const { config, reference } = service.app;
  // Behind a proxy the service may live below a path.
  const root = new URL(config.base_url).pathname.replace(/\/$/, "");
  const headers = service.headers
    .map((value, i) => (service.headers[i - 1] === "content-security-policy" ? policy : value))
    .concat("referrer-policy", "no-referrer");

  const show = async (x: Exchange): Promise<void> => {
    const path = pathOf(x);
    const file = (await reference?.file(path)) ?? null;
    const shown = file ?? (await reference?.file("missing/"));
    if (shown === undefined || shown === null) return refuse(x, notFound());
    x.headers = headers;
    sendFile(x, file === null ? 404 : 200, shown);
  };
  addPage(server, service, { path: "/docs/", name: "docs", group: "auth", show });
  addPage(server, service, { path: "/docs/*", name: "docs", group: "auth", show });
  addPage(server, service, {
    path: "/",
    name: "front",
    group: "auth",
    show(x) {
      const isBrowser = (x.request.headers.accept ?? "").includes("text/html");
      if (!isBrowser) return refuse(x, notFound());
      answer(x, 302, "", { location: `${root}/docs/`, vary: "accept", "content-type": "text/plain; charset=utf-8" });
    },
  });
}

// With and without a slash at its end, as all addresses.
function pathOf({ request }: Exchange): string {
  const path = (request.params as { "*"?: string })["*"] ?? "";
  return path === "" || path.endsWith("/") || /\.\w+$/.test(path) ? path : `${path}/`;
}

/** Files with a stamp in their address never change; pages are asked for again, and answered by a 304. */
function sendFile(x: Exchange, status: number, { type, body, tag }: ReferenceFile): void {
  const { url, headers } = x.request;
  const etag = `"${tag}"`;
  // A page may have anything behind its address.
  const isStamped = url.includes("?") && !type.startsWith("text/html");
  const always = {
    "content-type": type,
    etag,
    "cache-control": isStamped ? "public, max-age=31536000, immutable" : "public, max-age=60",
  };
  const known = String(headers["if-none-match"] ?? "").includes(etag);
  if (known && status === 200) return answer(x, 304, "", always);
  answer(x, status, body, always);
}
