// Which network an address belongs to, for counting those who have several addresses.

/** An IPv6 customer has at least a /64, so its addresses count as one. */
export function networkOf(ip: string): string {
  if (ip.startsWith("::ffff:")) return ip.slice(7);
  if (!ip.includes(":")) return ip;
  const [head = "", tail = ""] = ip.split("%")[0]!.split("::") as [string, string?];
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const groups = ip.includes("::") ? [...before, ...Array(8 - before.length - after.length).fill("0"), ...after] : before;
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
