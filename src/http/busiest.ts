// Which organizations the time of this process goes to, so that an operator sees in a minute who it is.

interface Use {
  requests: number;
  seconds: number;
}

export interface Busiest {
  add(organizationId: string, seconds: number): void;
  text(): string;
}

/** As many are shown. All are counted, so that a counter never goes back; 100,000 organizations take about 20 MB. */
const shown = 10;

export function createBusiest(): Busiest {
  const uses = new Map<string, Use>();
  return {
    add(organizationId, seconds) {
      let use = uses.get(organizationId);
      if (use === undefined) uses.set(organizationId, (use = { requests: 0, seconds: 0 }));
      use.requests++;
      use.seconds += seconds;
    },
    text() {
      const most = [...uses].toSorted(([, a], [, b]) => b.seconds - a.seconds).slice(0, shown);
      return (
        counter("requests", "Answers to the organizations that took most time.", most, (use) => use.requests) +
        counter("seconds", "Time of answers to the organizations that took most of it.", most, (use) => use.seconds)
      );
    },
  };
}

function counter(what: string, help: string, most: readonly [string, Use][], read: (use: Use) => number): string {
  const name = `headwater_organization_${what}_total`;
  const lines = most.map(([id, use]) => `${name}{organization="${id}"} ${read(use)}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines.join("")}`;
}
