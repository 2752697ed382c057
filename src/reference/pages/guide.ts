// A guide as a page. Its links to other guides lead to their pages.
import { html } from "../../values/html_template.ts";
import { guideText, isGuide, titleOf } from "../guides.ts";
import { renderMarkdown } from "../markdown.ts";
import { type Shown, type Site, to } from "../site.ts";

export async function guidePage(site: Site, name: string): Promise<Shown | null> {
  const text = await guideText(name);
  if (text === null) return null;
  const { html: rendered, headings } = renderMarkdown(text, site.api, (address) => linkFrom(site, name, address));
  const contents = headings.filter(({ depth }) => depth === 2);
  return {
    title: titleOf(text),
    body: html`<div class="guide">${rendered}</div>`,
    contents: contents.length > 2 ? contents : [],
  };
}

/** Where a link of a guide leads; null to what the reference does not have, such as the source. */
function linkFrom(site: Site, name: string, address: string): string | null {
  const { pathname, hash } = new URL(address, `file:///${name}.md`);
  const [, guide] = /^\/(.+)\.md$/.exec(pathname) ?? [];
  return guide !== undefined && isGuide(guide) ? `${to(site, `guides/${guide}/`)}${hash}` : null;
}
