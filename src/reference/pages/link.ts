// Links to the page of a resource.
import { type Html, html } from "../../values/html_template.ts";
import { pageOfResource } from "../areas.ts";
import { type Site, to } from "../site.ts";

/** The name of a resource, as a link if it has a page. */
export function linkTo(site: Site, resource: string): Html {
  const page = pageOfResource(resource);
  const words = resource.replaceAll("_", " ");
  return page === undefined ? html`${words}` : html`<a class="to" href="${to(site, `resources/${page.name}/`)}">${words}</a>`;
}
