import { member, type PaperFleet } from '../support/paper-fleet.ts';
import { frozen, taint } from './texts.ts';

/**
 * What may happen to any fleet on paper, by whatever script. `app` is the placement that it happens to, by its key. Says whether it
 * was one of these.
 */
export function happened(
  paper: PaperFleet,
  kind: string,
  { cluster, app, amount }: { readonly cluster: string; readonly app: string; readonly amount: number },
): boolean {
  const file = `clusters/${cluster}.yaml`;
  switch (kind) {
    case 'break':
      paper.broken.add(`${cluster}/Deployment/${app.split('.').at(-1)}`);
      paper.refresh();
      return true;
    case 'mend':
      for (const object of paper.broken) if (object.startsWith(`${cluster}/`)) paper.broken.delete(object);
      paper.refresh();
      return true;
    case 'down':
      paper.down.add(cluster);
      return true;
    case 'up':
      paper.down.delete(cluster);
      return true;
    case 'deliver':
      paper.deliver(cluster);
      return true;
    case 'deliverAll':
      paper.deliver();
      return true;
    case 'pass':
      paper.pass(amount);
      return true;
    case 'relabel':
      if (file in paper.files) paper.files[file] = member(cluster, { size: amount % 2 === 0 ? 'big' : 'small' });
      return true;
    case 'join':
      paper.files[file] ??= member(cluster);
      return true;
    case 'taint':
      if (file in paper.files) paper.files[file] = member(cluster, {}, taint);
      return true;
    case 'uncordon':
      if (file in paper.files) paper.files[file] = member(cluster);
      return true;
    case 'leave':
      // That all leave at once is refused, and one that is the last of them is all.
      if (Object.keys(paper.files).filter((path) => path.startsWith('clusters/')).length > 2) delete paper.files[file];
      return true;
    case 'drift': {
      const held = paper.members.get(cluster)?.get(app);
      if (held) paper.members.get(cluster)!.set(app, { ...held, objects: held.objects.slice(0, amount % 3) });
      return true;
    }
    case 'freeze':
      paper.files['fleet.yaml'] = frozen;
      return true;
    case 'thaw':
      delete paper.files['fleet.yaml'];
      return true;
    case 'restart':
      paper.restart();
      return true;
    case 'forgetOne': {
      const lost = [...paper.record.keys()][(amount * 7) % Math.max(paper.record.size, 1)];
      paper.record = new Map([...paper.record].filter(([path]) => path !== lost));
      return true;
    }
    case 'forgetAll':
      paper.record = new Map();
      return true;
    default:
      return false;
  }
}
