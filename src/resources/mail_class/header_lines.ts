// Parses lines such as `Final-Recipient: rfc822; ann@example.com`, in blocks separated by blank lines: the form of reports (RFC
// 3464, RFC 5965).

/** More than a report about our own mail ever has. */
const blocksMax = 501;

/** The first line of each name, in lower case, block by block. A line that starts with a blank continues the one before. */
export function headersIn(text: string): ReadonlyMap<string, string>[] {
  const blocks: Map<string, string>[] = [];
  let block = new Map<string, string>();
  let last: string | null = null;
  const end = () => {
    if (block.size > 0) blocks.push(block);
    block = new Map();
    last = null;
  };
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") end();
    else if (/^[ \t]/.test(line)) {
      if (last !== null) block.set(last, `${block.get(last)!} ${line.trim()}`);
    } else last = addLine(block, line);
    if (blocks.length >= blocksMax) return blocks;
  }
  end();
  return blocks;
}

/** The name it was added under. Null when it is no such line, or the second with its name. */
function addLine(block: Map<string, string>, line: string): string | null {
  const colon = line.indexOf(":");
  if (colon < 1) return null;
  const name = line.slice(0, colon).trim().toLowerCase();
  if (block.has(name)) return null;
  block.set(name, line.slice(colon + 1).trim());
  return name;
}
