// Which addresses requests may go to when a user chose them. Only public ones: the rest is the operator's own network, reached
// from the inside. The operator may add networks with OUTBOUND_ALLOW_CIDRS.
import { BlockList, isIP } from "node:net";

export interface PublicAddresses {
  /** For an address as DNS or a socket names it. */
  allows(ip: string): boolean;
  /** What can be known of a host before it is looked up: false for a private address in any spelling and for names of this machine. */
  allowsHost(url: string): boolean;
}

export function publicAddresses(allowedNetworks: readonly string[]): PublicAddresses {
  const allowed = new BlockList();
  for (const network of allowedNetworks) addNetwork(allowed, network);

  const allows = (ip: string): boolean => {
    const address = ip.replace(/%.*$/, "");
    const family = isIP(address);
    if (family === 0) return false;
    const type = family === 4 ? "ipv4" : "ipv6";
    return allowed.check(address, type) || isPublic(address, type);
  };

  return {
    allows,
    allowsHost(url) {
      // A URL writes every spelling of an IPv4 address (0x7f.1, 2130706433, 127.1) in one way, and IPv6 in brackets.
      const host = URL.parse(url)
        ?.hostname.replace(/^\[|\]$/g, "")
        .replace(/\.$/, "");
      if (!host) return false;
      if (isIP(host) !== 0) return allows(host);
      if (ownNames.test(host)) return allows("127.0.0.1") || allows("::1");
      return true;
    },
  };
}

/** Names that never lead to a public address: this machine (RFC 6761), the local link (RFC 6762), private use. */
const ownNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/i;

function isPublic(address: string, type: "ipv4" | "ipv6"): boolean {
  if (special.check(address, type)) return false;
  // Of IPv6 only 2000::/3 is given out; an IPv4 address inside one is judged as what it is.
  return type === "ipv4" || globalUnicast.check(address, type) || mapped.check(address, type);
}

// The special-purpose registries of IANA, without the few blocks that are reachable from everywhere.
const special = new BlockList();
for (const network of [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared, behind a carrier's translation
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with the metadata service of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: any IPv4 address inside
  "3fff::/20", // documentation
]) {
  addNetwork(special, network);
}

const globalUnicast = new BlockList();
addNetwork(globalUnicast, "2000::/3");
const mapped = new BlockList();
addNetwork(mapped, "::ffff:0:0/96");

function addNetwork(list: BlockList, network: string): void {
  const [address = "", bits] = network.split("/");
  const type = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(bits), type);
}
