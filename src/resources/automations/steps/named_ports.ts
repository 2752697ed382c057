// Ports that a config names, such as the cases of a branch.
import { z } from "zod";

export const place = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, { error: "must begin with a letter and have only a-z, 0-9 and _" });

/** The ids in a list of the config, such as the cases of a branch. */
export const namesIn =
  (key: string, name = "id") =>
  (config: Record<string, unknown>): string[] => {
    const list = Array.isArray(config[key]) ? config[key] : [];
    return list.flatMap((one: any) => (typeof one === "string" ? [one] : typeof one?.[name] === "string" ? [one[name]] : []));
  };
