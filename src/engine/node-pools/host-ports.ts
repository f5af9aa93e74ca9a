import { listAt, numberAt, textAt } from './read-fields.ts';

export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** Ports that a pod, or one of a template, takes of its node. */
export const hostPortsOf = (pod: unknown): HostPort[] =>
  listAt(pod, 'spec', 'containers').flatMap((container) =>
    listAt(container, 'ports').flatMap((item): HostPort[] => {
      const port = numberAt(item, 'hostPort') ?? 0;
      if (port === 0) return [];
      const ip = textAt(item, 'hostIP') || '0.0.0.0';
      return [{ ip: ip === '::' ? '0.0.0.0' : ip, port, protocol: textAt(item, 'protocol') ?? 'TCP' }];
    }),
  );

export const portsCollide = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
