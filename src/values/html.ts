// Escapes text for HTML.

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as it stands between tags and within quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!);

const signs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(entities).map(([sign, name]) => [name, sign])),
  "&#x27;": "'",
};

/** The reverse: the text that was escaped. */
export const unescapeHtml = (html: string): string => html.replace(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => signs[entity]!);
