import { at, fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import type { Stored } from '../object.ts';
import type { Fields } from '../schema/schema.ts';
import { writeStatus } from '../storage/write.ts';
import { runController } from './controller.ts';

/** Gives Services of type LoadBalancer and Ingresses an address after a delay, and removes it from Services of other types. */
export function runLoadBalancers(cluster: Cluster): void {
  for (const key of ['/services', 'networking.k8s.io/ingresses']) {
    const kind = cluster.registry.stored(key)!;
    const write = (object: Stored, loadBalancer: Fields) =>
      writeStatus(cluster, kind, object, { ...fieldsAt(object, 'status'), loadBalancer });
    runController(cluster, {
      key,
      reconcile(object) {
        const served = listAt(object, 'status', 'loadBalancer', 'ingress').length > 0;
        const name = `load balancer ${object.metadata.uid}`;
        if (!wantsAddress(key, object)) {
          cluster.queue.cancel(name);
          write(object, {});
        } else if (!served) {
          if (at(object, 'status', 'loadBalancer') === undefined) write(object, {});
          cluster.queue.once(cluster.delayOf('LoadBalancer') * 1000, name, () => {
            const live = cluster.store.get(key, object.metadata);
            if (live?.metadata.uid === object.metadata.uid)
              write(live, {
                ingress: [{ ip: cluster.allocate.externalIP(), ...(key === '/services' ? { ipMode: 'VIP' } : {}) }],
              });
          });
        }
      },
    });
  }
}

const wantsAddress = (key: string, object: Stored): boolean =>
  object.metadata.deletionTimestamp === undefined &&
  (key !== '/services' || textAt(object, 'spec', 'type') === 'LoadBalancer');
