/** Countries by ISO 3166 alpha-2 code, and the time zones in which their people pick up the phone. */

/** `"us"`, `"USA"`, `"United States"` → `"US"`. English names in any case, with or without accents. Null when unknown. */
export function parseCountry(raw: string): string | null {
  const text = raw.trim();
  if (text.length > 100) return null;
  const upper = text.toUpperCase();
  if (isCountry(upper)) return upper;
  names ??= countryNames();
  return names.get(nameKey(text)) ?? null;
}

/** True for an upper-case code: the 249 of ISO 3166, and XK for Kosovo, which telephones and maps use. */
export function isCountry(code: string): boolean {
  return CODES.has(code);
}

/**
 * The IANA zones of an address, the most populous first: `"US", "CA"` → `["America/Los_Angeles"]`. States are known for US, CA
 * and AU, as code or name. Without a known state, the result has all zones of the country. Small exceptions (an island, a border
 * town) are left out. Empty for an unknown country.
 */
export function timeZonesOf(country: string, state?: string | null): readonly string[] {
  const states = state ? statesOf(country)?.get(nameKey(state)) : undefined;
  return states ?? countryZones(country);
}

const CODES = new Set(
  (
    "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZ" +
    "DEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJM" +
    "JOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONP" +
    "NRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTO" +
    "TRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZWXK"
  ).match(/../g),
);

/** Common names that Intl does not know. */
const ALIASES = `US:USA,United States of America,America|GB:UK,Great Britain,England,Scotland,Wales,Northern Ireland
AE:UAE|BN:Brunei Darussalam|CD:Democratic Republic of the Congo,DR Congo|CG:Congo,Republic of the Congo|CI:Ivory Coast
CV:Cabo Verde|CZ:Czech Republic|FM:Federated States of Micronesia|HK:Hong Kong|IR:Islamic Republic of Iran
KP:Democratic People's Republic of Korea|KR:Korea,Republic of Korea|LA:Lao|MD:Republic of Moldova|MK:Macedonia
MM:Burma,Myanmar|MO:Macau,Macao|NL:Holland,The Netherlands|PS:Palestine,State of Palestine|RU:Russian Federation
SY:Syrian Arab Republic|SZ:Swaziland|TL:East Timor|TR:Turkey|TW:Republic of China|TZ:United Republic of Tanzania
VA:Holy See,Vatican|VN:Viet Nam`;

/** The main zones of countries with several, under today's names where ICU keeps an old one. */
const COUNTRY_ZONES = `AR America/Argentina/Buenos_Aires
AU Australia/Sydney Australia/Melbourne Australia/Brisbane Australia/Perth Australia/Adelaide Australia/Hobart Australia/Darwin
BR America/Sao_Paulo America/Manaus America/Rio_Branco America/Noronha
CA America/Toronto America/Vancouver America/Edmonton America/Winnipeg America/Regina America/Halifax America/St_Johns
CD Africa/Kinshasa Africa/Lubumbashi|CL America/Santiago America/Punta_Arenas Pacific/Easter|CN Asia/Shanghai
CY Asia/Nicosia|DE Europe/Berlin|EC America/Guayaquil Pacific/Galapagos|ES Europe/Madrid Atlantic/Canary
FM Pacific/Pohnpei Pacific/Chuuk Pacific/Kosrae|FO Atlantic/Faroe|GL America/Nuuk
ID Asia/Jakarta Asia/Makassar Asia/Jayapura|IN Asia/Kolkata|KI Pacific/Tarawa Pacific/Kiritimati|KZ Asia/Almaty
MH Pacific/Majuro|MM Asia/Yangon|MN Asia/Ulaanbaatar Asia/Hovd
MX America/Mexico_City America/Tijuana America/Hermosillo America/Mazatlan America/Cancun
MY Asia/Kuala_Lumpur|NP Asia/Kathmandu|NZ Pacific/Auckland Pacific/Chatham|PF Pacific/Tahiti
PG Pacific/Port_Moresby Pacific/Bougainville|PS Asia/Gaza Asia/Hebron|PT Europe/Lisbon Atlantic/Azores
RU Europe/Moscow Asia/Yekaterinburg Asia/Novosibirsk Asia/Krasnoyarsk Europe/Samara Asia/Omsk Asia/Irkutsk Asia/Vladivostok Asia/Yakutsk Europe/Kaliningrad Asia/Magadan Asia/Kamchatka
UA Europe/Kyiv
US America/New_York America/Chicago America/Los_Angeles America/Denver America/Phoenix Pacific/Honolulu America/Anchorage
UZ Asia/Tashkent|VN Asia/Ho_Chi_Minh|XK Europe/Belgrade`;

/** Code, zones, name. Zones are without their continent, which is the same for all but Honolulu. */
const STATE_ZONES: Record<string, { continent: string; states: string }> = {
  US: {
    continent: "America/",
    states: `AL Chicago Alabama|AK Anchorage,Adak Alaska|AZ Phoenix Arizona|AR Chicago Arkansas
CA Los_Angeles California|CO Denver Colorado|CT New_York Connecticut|DE New_York Delaware
DC New_York District of Columbia|FL New_York,Chicago Florida|GA New_York Georgia|HI Pacific/Honolulu Hawaii
ID Boise,Los_Angeles Idaho|IL Chicago Illinois|IN Indiana/Indianapolis,Chicago Indiana|IA Chicago Iowa
KS Chicago,Denver Kansas|KY New_York,Chicago Kentucky|LA Chicago Louisiana|ME New_York Maine|MD New_York Maryland
MA New_York Massachusetts|MI Detroit,Chicago Michigan|MN Chicago Minnesota|MS Chicago Mississippi
MO Chicago Missouri|MT Denver Montana|NE Chicago,Denver Nebraska|NV Los_Angeles Nevada|NH New_York New Hampshire
NJ New_York New Jersey|NM Denver New Mexico|NY New_York New York|NC New_York North Carolina
ND Chicago,Denver North Dakota|OH New_York Ohio|OK Chicago Oklahoma|OR Los_Angeles,Boise Oregon
PA New_York Pennsylvania|RI New_York Rhode Island|SC New_York South Carolina|SD Chicago,Denver South Dakota
TN Chicago,New_York Tennessee|TX Chicago,Denver Texas|UT Denver Utah|VT New_York Vermont|VA New_York Virginia
WA Los_Angeles Washington|WV New_York West Virginia|WI Chicago Wisconsin|WY Denver Wyoming
PR Puerto_Rico Puerto Rico|VI St_Thomas Virgin Islands|GU Pacific/Guam Guam|AS Pacific/Pago_Pago American Samoa`,
  },
  CA: {
    continent: "America/",
    states: `AB Edmonton Alberta|BC Vancouver,Edmonton British Columbia|MB Winnipeg Manitoba|NB Moncton New Brunswick
NL St_Johns,Goose_Bay Newfoundland and Labrador|NS Halifax Nova Scotia|NT Edmonton Northwest Territories
NU Iqaluit,Rankin_Inlet,Cambridge_Bay Nunavut|ON Toronto,Winnipeg Ontario|PE Halifax Prince Edward Island
QC Toronto Quebec|SK Regina Saskatchewan|YT Whitehorse Yukon`,
  },
  AU: {
    continent: "Australia/",
    states: `ACT Sydney Australian Capital Territory|NSW Sydney New South Wales|NT Darwin Northern Territory
QLD Brisbane Queensland|SA Adelaide South Australia|TAS Hobart Tasmania|VIC Melbourne Victoria
WA Perth Western Australia`,
  },
};

let names: Map<string, string> | undefined;
let listed: Map<string, readonly string[]> | undefined;
const byState = new Map<string, Map<string, readonly string[]>>();

function countryNames(): Map<string, string> {
  const map = new Map<string, string>();
  for (const style of ["short", "long"] as const) {
    const display = new Intl.DisplayNames("en", { type: "region", style });
    for (const code of CODES) map.set(nameKey(display.of(code) ?? code), code);
  }
  for (const row of rows(ALIASES)) {
    const [code = "", list = ""] = row.split(":");
    for (const name of list.split(",")) map.set(nameKey(name), code);
  }
  return map;
}

/** Letters only, so that "Cote d'Ivoire", "St. Lucia" and "Trinidad & Tobago" are found. */
function nameKey(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/\b(?:the|and)\b|\P{L}/gu, "").replace(/^saint/, "st");
}

function countryZones(country: string): readonly string[] {
  listed ??= new Map(
    rows(COUNTRY_ZONES).map((row) => {
      const [code = "", ...zones] = row.split(" ");
      return [code, Object.freeze(zones)];
    }),
  );
  const known = listed.get(country);
  if (known) return known;
  if (!isCountry(country)) return NONE;

  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones(): string[] | undefined };
  const zones = Object.freeze(locale.getTimeZones() ?? []);
  listed.set(country, zones);
  return zones;
}

const NONE: readonly string[] = Object.freeze([]);

function statesOf(country: string): Map<string, readonly string[]> | undefined {
  const table = Object.hasOwn(STATE_ZONES, country) ? STATE_ZONES[country] : undefined;
  if (!table || byState.has(country)) return byState.get(country);

  const map = new Map<string, readonly string[]>();
  for (const row of rows(table.states)) {
    const [code = "", list = "", ...name] = row.split(" ");
    const full = (zone: string) => (zone.startsWith("Pacific/") ? zone : table.continent + zone);
    const zones = Object.freeze(list.split(",").map(full));
    map.set(nameKey(code), zones).set(nameKey(name.join(" ")), zones);
  }
  byState.set(country, map);
  return map;
}

function rows(table: string): string[] {
  return table.split(/[|\n]/);
}
