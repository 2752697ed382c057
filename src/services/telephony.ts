// What the service needs from any provider of telephony. Each call is one exchange with the provider, outside of any transaction.
// `twilio.ts` is the first implementation.

/** A provider, with the credentials of one organization. */
export interface Telephony {
  carrier: "twilio";
  /** The account at the provider. Something started with one account is not looked up in another. */
  account: string;
  sendText(text: TextToSend): Promise<CarriedText>;
  /** Texts from one number to another, newest first, a hundred at most. */
  textsBetween(from: string, to: string): Promise<CarriedText[]>;
  /** Numbers that can be rented. */
  offeredNumbers(wanted: WantedNumber): Promise<OfferedNumber[]>;
  /** The monthly price of such a number, in minor units. Null when the provider does not state it. */
  monthlyPrice(country: string, type: OfferedNumber["carrier_type"]): Promise<{ amount: number; currency: string } | null>;
  /** The number, if the account already has it. */
  rentedNumber(number: string): Promise<RentedNumber | null>;
  /** What the account has of the papers that numbers of this kind are rented with. */
  papersFor(country: string, type: OfferedNumber["carrier_type"]): Promise<Papers>;
  /**
   * Rents a number under a name, with the account's papers where they are wanted. An account cannot rent a number twice.
   */
  rentNumber(number: string, name: string, kind: Pick<WantedNumber, "country" | "type">): Promise<RentedNumber>;
  directNumber(id: string, to: Directions): Promise<void>;
  releaseNumber(id: string): Promise<void>;
  /**
   * The same for WhatsApp: messages are reported at `messages`. Without that address, reports end if they went to an address that
   * starts with `here`. Nothing happens for a number that is not on WhatsApp.
   */
  directWhatsapp(number: string, to: { messages: string } | { here: string }): Promise<void>;
  // --- ports ---
  /** Why it cannot be asked to take over these numbers, in words. Null when it can. */
  whyNotPort(numbers: readonly string[]): string | null;
  /** Stores the invoice that shows whose the numbers are. Returns its id at the provider. */
  keepInvoice(invoice: { name: string; type: string; bytes: Uint8Array }): Promise<string>;
  orderPort(order: PortOrder): Promise<OrderedPort>;
  portOf(id: string): Promise<OrderedPort>;
  /** One that does not exist is fine. */
  cancelPort(id: string): Promise<void>;
  /** Whether the provider itself sent this request. */
  hasSigned(said: Said): Promise<boolean>;
  /** The field of a signed form that the provider would not send so. Null when all is well. */
  wrongIn(form: Record<string, string>): string | null;
  /** Reads a status update about a text that was sent. */
  readState(form: Record<string, string>): ToldText;
  /** Reads a text that was received. */
  readText(form: Record<string, string>): ReceivedText;
  /** Whether the bytes are stored at the provider, where only the organization's credentials open them. */
  hasMedia(url: string): boolean;
  /** Passes the bytes to `take`, with the type that the provider states. Throws `NotFetched`. */
  fetchMedia<T>(
    url: string,
    take: (chunks: AsyncIterable<Uint8Array>, type: string | null) => Promise<T>,
    limitMs: number,
  ): Promise<T>;
  // --- calls ---
  /** Rings one of our members, and requests instructions once they answer. */
  placeCall(call: CallToPlace): Promise<PlacedCall>;
  /** Reads a report about who has answered a call. */
  readAnswer(form: Record<string, string>): ToldAnswer;
  /** A call that somebody has answered follows the instructions at this address from now on, whomever it is connected to. */
  redirectCall(id: string, next: string): Promise<void>;
  /** Stops ringing. A call that somebody has answered goes on, and one that does not exist is fine. */
  stopRinging(id: string): Promise<void>;
  /** Calls from one number to another, newest first, a hundred at most. */
  callsBetween(from: string, to: string): Promise<PlacedCall[]>;
  /** The next instructions for a call, in the provider's own language. */
  instruct(steps: readonly Step[]): Promise<string>;
  /** Reads a report about a call, or about one of the calls that it started. */
  readCall(form: Record<string, string>): ToldCall;
  /** The state of a call with the calls that it started. Null when the provider knows no such call. */
  callOf(id: string): Promise<CarriedCall | null>;
  /** Lets a browser make and take calls under this name; null if the credentials do not suffice. */
  token(identity: string, seconds: number): Promise<string | null>;
  /** Reads a notice about a recording of a call; null if there is nothing to fetch. */
  readRecording(form: Record<string, string>): ToldRecording | null;
  /** Passes the bytes of a recording to `take`, with their media type. Throws `NotFetched`. */
  fetchRecording: Telephony["fetchMedia"];
  /** Deletes a recording at the provider; one that does not exist is fine. */
  deleteRecording(id: string): Promise<void>;
}

export interface WantedNumber {
  country: string;
  type: OfferedNumber["carrier_type"];
  /** Digits or letters in a row, anywhere in the number. */
  contains?: string;
  locality?: string;
  region?: string;
  sms?: boolean;
  mms?: boolean;
  voice?: boolean;
  limit: number;
}

/**
 * Where the provider reports a number's incoming texts and calls. An empty value means nowhere, and missing ones stay as they
 * are.
 */
export interface Directions {
  messages?: string;
  calls?: string;
  /** How calls ended. */
  ends?: string;
}

interface Capabilities {
  voice: boolean;
  sms: boolean;
  mms: boolean;
}

export interface OfferedNumber {
  /** E.164. */
  number: string;
  friendly_name: string;
  country: string;
  region: string | null;
  locality: string | null;
  postal_code: string | null;
  carrier_type: "local" | "tollfree" | "mobile";
  capabilities: Capabilities;
  /** It can be rented only with an address at the provider. */
  address_required: boolean;
}

/** Ids at the provider, null for none. */
export interface Papers {
  address_id: string | null;
  bundle_id: string | null;
  /** What somebody has to do before such a number is rented, in words to follow its name. Null for nothing. */
  missing: string | null;
}

export interface RentedNumber extends Omit<Papers, "missing"> {
  /** The provider's id. */
  id: string;
  number: string;
  /** The name under which it was rented. */
  name: string;
  /** As the provider has it now. */
  directions: Required<Directions>;
  capabilities: Capabilities;
}

export interface PortOrder {
  numbers: readonly string[];
  pin: string | null;
  /** As the carrier that loses the numbers has them. */
  customer: { name: string; type: "business" | "individual" };
  account_number: string;
  account_phone_number: string | null;
  address: { address_1: string; address_2: string | null; city: string; state: string; zipcode: string };
  /** Who signs the letter of authorization, which the provider sends there. */
  signer: { name: string; email: string };
  invoice_id: string;
  /** The day that was asked for. */
  day: string | null;
}

/** A port as the provider has it. */
export interface OrderedPort {
  id: string;
  /** `waits` for a signature, `acts` is somebody's turn here. */
  state: "reviewed" | "waits" | "under_way" | "agreed" | "acts" | "ported" | "expired" | "canceled";
  /** The state in the provider's own words. */
  words: string;
  /** What is objected to, in words. */
  objections: string[];
  /** The day that was agreed on. */
  day: string | null;
}

/** A request to one of our addresses, with the provider's signature of address and form. */
export interface Said {
  address: string;
  form: Record<string, string>;
  signature: string;
}

export interface TextToSend {
  /** E.164, or the channel's form of an address: `whatsapp:+12125551234`. */
  from: string;
  to: string;
  text: string;
  /** Addresses where the provider fetches the attachments. */
  media: readonly string[];
  /** The address where the provider reports the status. */
  callback: string;
}

/** The status of a text. */
export interface ToldText {
  id: string;
  state: DeliveryState;
  /** Why it was not delivered, in words for people. Null when it was delivered, or may be. */
  failure: string | null;
}

/** A received text. */
export interface ReceivedText {
  id: string;
  channel: "sms" | "whatsapp";
  /** Mostly E.164. Some senders use a short code or a name. */
  from: string;
  to: string;
  /** The sender's own name, where the channel has one. */
  name: string | null;
  text: string;
  media: { url: string; content_type: string | null }[];
  /** What the provider read from it: the sender opts out of texts, or opts in again. */
  wish: "stop" | "start" | null;
}

/** A text as the provider reports it. */
export interface CarriedText extends ToldText {
  text: string;
  taken_at: Date;
  /** In decimal cents. */
  cost: string | null;
}

/** The states of a text, in this order. `delivered`, `undelivered` and `failed` exclude each other. */
export const deliveryStates = ["queued", "sent", "delivered", "undelivered", "failed", "read"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

// --- calls ---

export interface CallToPlace {
  /** The number of ours that they see. */
  from: string;
  /** E.164, or `client:` and the name of a browser. */
  to: string;
  seconds: number;
  /** Called when they answer. */
  next: string;
  /** Called with its progress. */
  callback: string;
  /** Whether a person or a machine has answered is found out while they are connected. Null for not. */
  detection: Detection | null;
}

export interface Detection {
  /** Called with who has answered. */
  callback: string;
  /** Called only when the greeting of a mailbox is over, so that a message can be left. */
  waitsForEnd: boolean;
}

export interface PlacedCall {
  id: string;
  placed_at: Date;
}

/** The states of a call. */
export type CallState = "ringing" | "talking" | "completed" | "busy" | "no-answer" | "canceled" | "failed";

/** One instruction for a call. */
export type Step =
  /** The call is rejected, and costs nothing. */
  | { do: "reject" }
  | { do: "hang_up" }
  | { do: "say"; words: string }
  | { do: "play"; url: string }
  /** Waits in silence, and calls the address. */
  | { do: "wait"; seconds: number; next: string }
  | Ring
  | TakeMessage
  | AskForKey;

/** Rings all of them at once, and connects the first to answer. */
export interface Ring {
  do: "ring";
  /** Browsers, by the name they signed in with. */
  clients: readonly Rung[];
  /** Phones, as E.164. */
  phones: readonly Rung[];
  /** The number that they see. Null: the caller's own. */
  shows: string | null;
  seconds: number;
  /** Called when it is over, or nobody answered. */
  next: string;
  /** Called with a recording. Null when none is made. */
  recording: string | null;
}

export interface Rung {
  to: string;
  /** Called with its progress. Null for none. */
  callback: string | null;
  /** Called when they answer, before they are connected. */
  first?: string;
  detection?: Detection | null;
}

export interface TakeMessage {
  do: "take_message";
  seconds: number;
  next: string;
  recording: string;
}

/** Says some words, and calls the address after a key is pressed. Continues when none is. */
export interface AskForKey {
  do: "ask_for_key";
  words: string;
  next: string;
}

/** A report about a call. */
export interface ToldCall {
  id: string;
  /** The call that started this one. */
  parent: string | null;
  /** E.164, or `client:` and the name of a browser. Some callers hide their number. */
  from: string;
  to: string;
  /** The number that forwarded it, where its carrier says so. */
  forwarded_from: string | null;
  state: CallState;
  /** Its duration, once it is over. */
  seconds: number | null;
  /** The results of the calls that it started, once they are over. */
  rang: { isAnswered: boolean; state: CallState; seconds: number } | null;
  /** The key that was pressed. */
  key: string | null;
}

/** Who has answered a call. */
export interface ToldAnswer {
  id: string;
  /** `mailbox`: a machine that takes a message now. Whoever the provider is not sure about is a person. */
  by: "person" | "machine" | "mailbox";
}

/** A recording that is ready. */
export interface ToldRecording {
  id: string;
  /** The call that it was made of. */
  call_id: string;
  seconds: number;
}

/** A call as the provider reports it. */
export interface CarriedCall {
  id: string;
  state: CallState;
  seconds: number;
  /** The calls that it started. */
  rang: { id: string; to: string; state: CallState; seconds: number }[];
}

/** The provider did not do something. The message says why, in words for people. */
export class NotDone extends Error {
  /**
   * `refused`: it will not, however often it is asked. `later`: it did not, but may at a retry. `unknown`: it did not reply, and
   * may have done it.
   */
  readonly kind: "refused" | "later" | "unknown";
  /** The provider's own code for the reason. */
  readonly code: number | null;

  constructor(kind: NotDone["kind"], words: string, code: number | null = null) {
    super(words);
    this.kind = kind;
    this.code = code;
  }
}

/** What replied is not the provider, or is something before it. Whether the provider did it is unknown. */
export class NotTheProvider extends NotDone {
  constructor(words: string) {
    super("unknown", words);
  }
}
