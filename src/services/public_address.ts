// Decides which addresses outgoing requests may reach when a user chose them: only public ones, and there only web ports. All
// others are the operator's own network, or services that are not web servers. The operator may allow networks with
// OUTBOUND_ALLOW_CIDRS, where any port may be used, and ports with OUTBOUND_PORTS.
import { BlockList, isIP } from "node:net";

export interface PublicAddresses {
  /** Whether an IP address from DNS or a socket is allowed at a port. */
  allows(ip: string, port: number): boolean;
  /** The check that needs no lookup: false for a private address in any notation and for names of private networks. */
  allowsHost(url: string): boolean;
  /** What an allowed URL must be, for error messages. */
  words: string;
  /** The same networks for another kind of server, with its ports as well. Returns the same object each time. */
  alsoAt(ports: readonly number[]): PublicAddresses;
}

export const webPorts: readonly number[] = [80, 443, 8080, 8443];
/** The ports for sending and reading mail. */
export const mailPorts: readonly number[] = [25, 465, 587, 2525, 143, 993];

export function publicAddresses(allowedNetworks: readonly string[], ports: readonly number[] = webPorts): PublicAddresses {
  const allowed = new BlockList();
  for (const network of allowedNetworks) addNetwork(allowed, network);
  const others = new Map<string, PublicAddresses>();

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
      // A URL normalizes every notation of an IPv4 address (0x7f.1, 2130706433, 127.1), and puts IPv6 in brackets.
      const host = url?.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
      if (url === null || !host) return false;
      const port = portOf(url);
      if (isIP(host) !== 0) return allows(host, port);
      if (ownNames.test(host)) return allows("127.0.0.1", port) || allows("::1", port);
      // Any other name may resolve to a network that the operator allowed.
      if (allowedNetworks.length > 0) return port !== 0;
      return ports.includes(port) && !privateNames.test(host);
    },
    alsoAt(more) {
      const key = more.join();
      let other = others.get(key);
      if (other === undefined) others.set(key, (other = publicAddresses(allowedNetworks, [...new Set([...ports, ...more])])));
      return other;
    },
  };
}

/** The port of a URL. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));

/** Names of this machine (RFC 6761, and those common in hosts files). */
const ownNames = /^(.+\.)?(localhost|localdomain)$|^ip6-(localhost|loopback)$/i;

/** Names that never resolve to a public address: without a dot, link-local (RFC 6762), for private use. */
const privateNames = /^[^.]+$|\.(local|internal|home\.arpa)$/i;

function isPublic(address: string, type: "ipv4" | "ipv6"): boolean {
  if (special.check(address, type)) return false;
  // Only 2000::/3 is assigned in IPv6. An IPv4 address inside an IPv6 address is checked as IPv4.
  return type === "ipv4" || globalUnicast.check(address, type) || mapped.check(address, type);
}

// IANA's special-purpose registries, without the few blocks that are reachable from everywhere.
const special = new BlockList();
for (const network of [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
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
