// Which addresses requests may go to when a user chose them. Only public ones, and there only the ports of the web: the rest is the
// operator's own network, reached from the inside, or a service that is no web server. The operator may add networks with
// OUTBOUND_ALLOW_CIDRS, where any port may be asked, and ports with OUTBOUND_PORTS.
import { BlockList, isIP } from "node:net";

export interface PublicAddresses {
  /** For an address as DNS or a socket names it, and the port that is asked there. */
  allows(ip: string, port: number): boolean;
  /** What can be known of a host before it is looked up: false for a private address in any spelling and for names of private networks. */
  allowsHost(url: string): boolean;
  /** What a URL that is not allowed must be. */
  words: string;
}

export const webPorts: readonly number[] = [80, 443, 8080, 8443];

export function publicAddresses(allowedNetworks: readonly string[], ports: readonly number[] = webPorts): PublicAddresses {
  const allowed = new BlockList();
  for (const network of allowedNetworks) addNetwork(allowed, network);

  const allows = (ip: string, port: number): boolean => {
    const address = ip.replace(/%.*$/, "");
    const family = isIP(address);
    if (family === 0 || port === 0) return false;
    const type = family === 4 ? "ipv4" : "ipv6";
    return allowed.check(address, type) || (ports.includes(port) && isPublic(address, type));
  };

  return {
    allows,
    words: `must be a public address, at port ${[ports.slice(0, -1).join(", "), ports.at(-1)].filter(Boolean).join(" or ")}`,
    allowsHost(given) {
      const url = URL.parse(given);
      // A URL writes every spelling of an IPv4 address (0x7f.1, 2130706433, 127.1) in one way, and IPv6 in brackets.
      const host = url?.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
      if (url === null || !host) return false;
      const port = portOf(url);
      if (isIP(host) !== 0) return allows(host, port);
      if (ownNames.test(host)) return allows("127.0.0.1", port) || allows("::1", port);
      // Any other name may lead into a network that the operator added.
      if (allowedNetworks.length > 0) return port !== 0;
      return ports.includes(port) && !privateNames.test(host);
    },
  };
}

/** The port that a URL leads to. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));

/** Names of this machine (RFC 6761, and those in the file of hosts). */
const ownNames = /^(.+\.)?(localhost|localdomain)$|^ip6-(localhost|loopback)$/i;

/** Names that never lead to a public address: without a dot, of the local link (RFC 6762), for private use. */
const privateNames = /^[^.]+$|\.(local|internal|home\.arpa)$/i;

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
