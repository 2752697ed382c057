// Reads and draws PDFs as a reader's program does.
import { execFileSync } from "node:child_process";
import { needProgram } from "./debian.ts";

const tool = (command: string, args: readonly string[], pdf: Uint8Array): Buffer => {
  needProgram("poppler-utils", `/usr/bin/${command}`);
  return execFileSync(command, args, { input: pdf, maxBuffer: 64 * 1024 * 1024, stdio: ["pipe", "pipe", "ignore"] });
};

/** Its text, line by line as they stand on the pages. Spaces between columns become one. */
export const textOfPdf = (pdf: Uint8Array): string =>
  tool("pdftotext", ["-layout", "-enc", "UTF-8", "-", "-"], pdf).toString().replaceAll(/ +/g, " ");

/** A picture of its first page, as PNG. */
export const pictureOfPdf = (pdf: Uint8Array): Buffer => tool("pdftoppm", ["-png", "-r", "96", "-f", "1", "-l", "1", "-"], pdf);

/** The fonts that are not in it, or cannot be read as text. */
export const missingFonts = (pdf: Uint8Array): string[] =>
  tool("pdffonts", ["-"], pdf)
    .toString()
    .split("\n")
    .slice(2)
    .filter((line) => line !== "" && !/ yes yes yes +\d+ +\d+$/.test(line));
