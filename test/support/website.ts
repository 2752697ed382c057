// A company's website: a real server that answers as a test says.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Website {
  url: string;
  visits: number;
}

const open = new Set<Server>();
// Registered here, because a hook of a test that waited for its server may belong to no test.
after(() => {
  for (const server of open) {
    server.close();
    server.closeAllConnections();
  }
});

/** With text, that is its page. It is closed with the tests. */
export async function website(answer: string | RequestListener): Promise<Website> {
  const site: Website = { url: "", visits: 0 };
  const server = createServer((request, response) => {
    site.visits++;
    if (typeof answer === "string") response.writeHead(200, { "content-type": "text/html" }).end(answer);
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.add(server);
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return site;
}

/** Everything that is read from a page. */
export const acmePage = `<!doctype html><html><head>
  <title>Home | Acme</title>
  <meta name="description" content="We build rockets &amp; ramps.">
  <meta property="og:site_name" content="Acme">
  <link rel="apple-touch-icon" href="/logo.png">
  <script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
    {"@type": "WebSite", "name": "A site"},
    {"@type": "Organization", "name": "Another company", "url": "https://other.example/"},
    {"@type": ["Corporation"], "name": "Acme Rockets", "foundingDate": "1958-07-29", "numberOfEmployees": {"value": "250"},
     "telephone": "030 901820", "sameAs": ["https://www.linkedin.com/company/acme-rockets"],
     "address": {"@type": "PostalAddress", "streetAddress": "Unter den Linden 1", "addressLocality": "Berlin", "postalCode": "10117", "addressCountry": "DE"}}]}
  </script></head>
  <body><a href="https://x.com/acmerockets">X</a> <a href="https://twitter.com/share?u=1">Share</a> <a href="tel:+49%2030%20901821">Call</a></body></html>`;
