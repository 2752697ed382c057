// The part of Twilio that takes numbers over from other carriers: documents, and orders to port in. Written from its documentation.
import type { IncomingMessage, ServerResponse } from "node:http";
import { refuse, type TwilioServer } from "./twilio.ts";

export interface PortIn {
  port_in_request_sid: string;
  port_in_request_status: string;
  order_cancellation_reason: string | null;
  phone_numbers: { phone_number: string; rejection_reason?: string; port_date?: string }[];
  losing_carrier_information: Record<string, any>;
  documents: string[];
  target_port_in_date?: string;
}

export class TwilioPorts {
  readonly orders: PortIn[] = [];
  /** The forms of the documents, as they came, by their ids. */
  readonly documents = new Map<string, string>();
  /** What it does in place of taking an order. `deaf`: it takes it, and breaks the connection. */
  refuses: { status: number; code: number; message: string } | "deaf" | null = null;
  private readonly server: TwilioServer;

  constructor(server: TwilioServer) {
    this.server = server;
  }

  take(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname } = new URL(request.url!, this.server.url);
    if (!this.server.isKnown(request)) return refuse(response, 401, 20003, "Authenticate");
    const answer = (status: number, said: object | null) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(said && JSON.stringify(said));
    if (pathname === "/v1/Documents") {
      const sid = `RD${this.documents.size}`;
      this.documents.set(sid, body);
      return answer(201, { sid, mime_type: "application/pdf", document_type: "utility_bill" });
    }
    if (request.method === "POST") {
      if (this.refuses !== null && this.refuses !== "deaf")
        return refuse(response, this.refuses.status, this.refuses.code, this.refuses.message);
      const order: PortIn = {
        ...JSON.parse(body),
        port_in_request_sid: `KW${this.orders.length}`,
        port_in_request_status: "In review",
        order_cancellation_reason: null,
      };
      this.orders.push(order);
      return this.refuses === "deaf" ? void request.socket.destroy() : answer(201, order);
    }
    const order = this.orders.find((one) => pathname.endsWith(one.port_in_request_sid));
    if (order === undefined) return refuse(response, 404, 20404, "not found");
    if (request.method !== "DELETE") return answer(200, order);
    order.port_in_request_status = "Canceled";
    return void response.writeHead(204).end();
  }
}
