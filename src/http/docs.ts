// `/docs/`: the API description as a page. The files of Swagger UI are read from disk when somebody asks, so starting costs
// nothing. The page may load nothing from elsewhere.
import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { addPage } from "./pages.ts";
import { answer } from "./reply.ts";
import { apiPrefix } from "./rest.ts";
import type { Service } from "./service.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

export function addDocs(server: FastifyInstance, service: Service): void {
  const { base_url } = service.app.config;
  // Behind a proxy the service may live below a path.
  const root = new URL(base_url).pathname.replace(/\/$/, "");
  const headers = service.headers
    .map((value, i) => (service.headers[i - 1] === "content-security-policy" ? policy : value))
    .concat("referrer-policy", "no-referrer");

  const add = (file: string, type: string, read: () => Promise<string | Buffer>) =>
    addPage(server, service, {
      path: `/docs/${file}`,
      name: "docs",
      group: "auth",
      async show(x) {
        x.headers = headers;
        answer(x, 200, await read(), { "content-type": type, "cache-control": "public, max-age=3600" });
      },
    });
  add("", "text/html; charset=utf-8", async () => page(root));
  add("start.js", "text/javascript; charset=utf-8", async () => start(root));
  for (const [file, type] of Object.entries(files)) add(file, type, () => readFile(new URL(`static/${file}`, swaggerUi())));
}

const swaggerUi = () => import.meta.resolve("@fastify/swagger-ui");

const page = (root: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Headwater API</title>
<link rel="icon" href="${root}/docs/favicon-32x32.png">
<link rel="stylesheet" href="${root}/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<noscript>The description itself is at <a href="${root}${apiPrefix}/openapi.json">${apiPrefix}/openapi.json</a>.</noscript>
<script src="${root}/docs/swagger-ui-bundle.js"></script>
<script src="${root}/docs/start.js"></script>
</body>
</html>
`;

const start = (root: string) => `SwaggerUIBundle({
  url: "${root}${apiPrefix}/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;
