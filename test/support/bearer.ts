// Calls the API with a token.
import type { Service } from "./service.ts";

export interface Called {
  status: number;
  headers: Headers;
  body: any;
}

export const bearer =
  (service: Service, token: string) =>
  async (method: string, path: string, body?: object): Promise<Called> => {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
  };
