#!/usr/bin/env node
// The health check of the image: whether this machine's service takes requests.
const { PORT = "4000" } = process.env;
const isReady = await fetch(`http://127.0.0.1:${PORT}/readyz`).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isReady ? 0 : 1);
