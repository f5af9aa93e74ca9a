/** An annotation of members: what gitfleet does about nodes there. */
export const nodeDisruptionAnnotation = 'gitfleet.dev/node-disruption';

/** Karpenter acts and gitfleet reports; gitfleet plans; gitfleet acts. */
export const disruptionModes = ['delegate', 'plan', 'execute'] as const;
export type DisruptionMode = (typeof disruptionModes)[number];

/** Windows outside of which no node of a pool is disrupted: a JSON list of `{schedule, duration}`, in UTC. */
export const allowWindowsAnnotation = 'gitfleet.dev/allow-windows';

/** Value `graceful`: nodes of a pool expire so, though it writes expireAfter where v1 has it. Delivered pools keep by it what files say. */
export const expiryAnnotation = 'gitfleet.dev/expiry';
