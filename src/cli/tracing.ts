// Traces by OpenTelemetry's own variables. Its SDK is loaded only where one of them says whereto.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Span } from "@opentelemetry/api";
import { type Recorder, recordBy, type Work } from "../values/traced.ts";
import { version } from "./version.ts";

/** Begins to record, if the environment asks for it. Returns a function that sends what is left. */
export async function startTracing(env: NodeJS.ProcessEnv, process: "api" | "worker"): Promise<() => Promise<void>> {
  const isAsked = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (!isAsked || env.OTEL_SDK_DISABLED === "true" || env.OTEL_TRACES_EXPORTER === "none") return async () => {};
  const [
    otel,
    { NodeTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { resourceFromAttributes, detectResources, envDetector },
  ] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const named = resourceFromAttributes({ "service.name": "headwater", "service.version": version, "headwater.process": process });
  const provider = new NodeTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  recordBy(recorderOf(otel));
  const unfollow = followCalls(otel);
  // After a defect the process begins anew.
  return async () => {
    unfollow();
    await provider.shutdown().catch(() => {});
    for (const one of [otel.trace, otel.context, otel.propagation]) one.disable();
  };
}

type Otel = typeof import("@opentelemetry/api");

function recorderOf({ trace, context, propagation, SpanKind, SpanStatusCode }: Otel): Recorder {
  const tracer = trace.getTracer("headwater", version);
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
  const parentOf = ({ caller }: Work) =>
    caller === undefined ? context.active() : propagation.extract(context.active(), { traceparent: caller });
  return {
    async around(work, act) {
      const parent = parentOf(work);
      const span = tracer.startSpan(work.name, { kind: kinds[work.kind], attributes: work.attributes }, parent);
      try {
        return await context.with(trace.setSpan(parent, span), act);
      } catch (error) {
        // The message may hold what a caller wrote.
        const { code, name } = error as { code?: string; name: string };
        span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", code ?? name);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

interface Call {
  origin: string;
  method: string;
  addHeader(name: string, value: string): void;
}

/** Calls of other services: both undici and Node's own `fetch` announce them. The path may hold a secret, so it is left out. */
function followCalls({ trace, context, propagation, SpanKind, SpanStatusCode }: Otel): () => void {
  const tracer = trace.getTracer("headwater", version);
  const spans = new WeakMap<object, Span>();
  const followed: [string, (message: any) => void][] = [];
  const on = (name: string, act: (message: any) => void) => {
    followed.push([`undici:request:${name}`, act]);
    subscribe(`undici:request:${name}`, act);
  };
  on("create", ({ request }: { request: Call }) => {
    // What belongs to nothing is the exporter itself.
    if (trace.getSpan(context.active()) === undefined) return;
    const attributes = { "http.request.method": request.method, "server.address": new URL(request.origin).hostname };
    const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes });
    spans.set(request, span);
    const carrier: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), carrier);
    for (const [header, value] of Object.entries(carrier)) request.addHeader(header, value);
  });
  on("headers", ({ request, response }) => {
    spans.get(request)?.setAttribute("http.response.status_code", response.statusCode);
  });
  on("trailers", ({ request }) => spans.get(request)?.end());
  on("error", ({ request }) => spans.get(request)?.setStatus({ code: SpanStatusCode.ERROR }).end());
  return () => followed.forEach(([name, act]) => unsubscribe(name, act));
}
