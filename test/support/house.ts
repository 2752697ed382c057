// A service as an operator has it on a machine: its settings, and commands that start and stop it. For the drills, which use both.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { freePort } from "./free_port.ts";
import { type Ended, main, type Running, roomy, start } from "./processes.ts";

const drills = new URL("../../ops/drills/", import.meta.url).pathname;
export const headwater = [process.execPath, ...roomy, main].join(" ");

export interface House {
  url: string;
  /** What the service is started with, and what its commands see. */
  settings: Record<string, string>;
  /** By the name that `commandFor` puts into a shell: what starts and stops the service here, and what else a test adds. */
  acts: Record<string, () => Promise<unknown>>;
  commandFor(act: string): string;
  /** Runs a drill as written, with the settings. */
  drill(args: readonly string[], more?: Record<string, string>): Promise<Ended>;
  ask(method: string, path: string, body?: object, key?: string): Promise<any>;
}

const leaving: (() => Promise<void>)[] = [];
after(() => Promise.all(leaving.map((leave) => leave())));

/** `settings` has BOOTSTRAP_API_KEY. */
export async function openHouse(settings: Record<string, string>): Promise<House> {
  let running: Running | null = null;
  const port = await freePort();
  const acts: House["acts"] = {
    async start() {
      running = await start({ ...house.settings, PORT: `${port}` });
    },
    async stop() {
      await running?.stop();
      running = null;
    },
  };
  const server = createServer((request, response) => {
    const act = house.acts[request.url!.slice(1)];
    Promise.resolve(act?.()).then(
      () => response.writeHead(act === undefined ? 404 : 200).end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const control = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  leaving.push(async () => {
    await acts.stop!();
    server.close();
    server.closeAllConnections();
  });
  const house: House = {
    url: `http://127.0.0.1:${port}`,
    settings,
    acts,
    commandFor: (act) => `curl --silent --show-error --fail --output /dev/null ${control}/${act}`,
    async drill([name, ...args], more = {}) {
      const path = `${drills}${name}`;
      const command = name!.endsWith(".mjs") ? process.execPath : "/bin/sh";
      const { PATH = "", DATABASE_RLS = "off", NODE_COMPILE_CACHE = "" } = process.env;
      const child = spawn(command, [path, ...args], {
        env: {
          PATH,
          DATABASE_RLS,
          ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
          LOG_LEVEL: "fatal",
          HEADWATER: headwater,
          START: house.commandFor("start"),
          STOP: house.commandFor("stop"),
          URL: house.url,
          ...house.settings,
          ...more,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (text) => (out += text));
      child.stderr.on("data", (text) => (err += text));
      const [code] = await once(child, "close");
      return { code, out, err };
    },
    async ask(method, path, body, key = house.settings.BOOTSTRAP_API_KEY) {
      const response = await fetch(`${house.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok)
        throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text}`), { status: response.status });
      return JSON.parse(text);
    },
  };
  return house;
}
