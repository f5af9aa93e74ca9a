/** What is sold: a type and what an hour of it costs. */
interface Sold {
  readonly amounts: Readonly<Record<string, number>>;
  readonly price: number;
}

/**
 * What pods cost at least, per hour, wherever they run. Proof: nodes that hold all of them have of each resource r together at least the
 * sum that the pods request. A node with c of r costs at least c × (the least price of one unit of r over all types that have any). So
 * all of them cost at least sum × that price; this holds for every r, hence for the greatest.
 */
export function leastCost(requests: readonly Readonly<Record<string, number>>[], types: readonly Sold[]): number {
  const resources = new Set(requests.flatMap((request) => Object.keys(request)));
  return Math.max(
    0,
    ...[...resources].map((name) => {
      const sum = requests.reduce((total, request) => total + (request[name] ?? 0), 0);
      return sum === 0 ? 0 : sum * Math.min(...types.map(({ amounts, price }) => price / (amounts[name] ?? 0)));
    }),
  );
}
